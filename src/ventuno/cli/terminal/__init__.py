"""A game in the terminal: `ventuno play`."""
