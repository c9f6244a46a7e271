"""Where cards come from: sealed shoes, the players' cut, proofs, receipts."""
