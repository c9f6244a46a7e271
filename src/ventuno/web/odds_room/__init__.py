"""The odds room and the trainer, computed by a process of its own."""
