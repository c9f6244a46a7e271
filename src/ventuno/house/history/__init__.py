"""What a house remembers: rounds, history, statistics, the audit log."""
