"""What the games do: the two engines, the Link bonus, insurance, side bets, settlement."""
