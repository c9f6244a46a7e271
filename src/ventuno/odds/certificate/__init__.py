"""Certificates of sheets: figures, report, charts."""
