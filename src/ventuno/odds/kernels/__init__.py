"""Compiled loops: made by numba once, kept on disk, called without it."""
