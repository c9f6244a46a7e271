"""Tables at run time: the authority, the clock, the floor, the chat, the concession."""
