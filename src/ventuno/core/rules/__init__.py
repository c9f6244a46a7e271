"""The rules as values: cards, money, hands, and the sheet that says how a game is played."""
