"""Money: accounts in double entry, the cashier, currencies."""
