"""Exact values: the solver of the blackjack family, the duel, best play."""
