"""Who plays here, how he is known, and what he has put between himself and the games."""
