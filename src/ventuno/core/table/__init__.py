"""The table as a fold: its state, what may be asked, what follows, what an event changes."""
