"""Ventuno, a blackjack house: five games, each one a rule sheet, on one pure core."""

__version__ = "0.1.0"
