"""What protects a player: limits, pauses, exclusion, and leaving the tables."""
