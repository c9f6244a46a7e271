"""Processes between the players and the house: a door holds sockets, the host decides (docs/operations.md)."""
