"""The bets beside the main one, exactly: side bets, bets behind, cash out, the Link bonus."""
