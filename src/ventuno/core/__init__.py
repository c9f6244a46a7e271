"""The rules, pure: standard library only; no input, clock, chance or mutation."""
