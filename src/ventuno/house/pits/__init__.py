"""Pits: what one house needs to be decided by several machines, as pure rules. A house of one process uses none."""
