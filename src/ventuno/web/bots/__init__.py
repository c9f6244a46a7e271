"""Players of the house's own."""
