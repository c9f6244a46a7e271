"""What a house watches for: collusion, harm, linked accounts, voids."""
