"""The simulator: sheets compiled to automata, and many rounds of them counted."""
