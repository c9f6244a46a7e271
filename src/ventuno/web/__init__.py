"""The doors: the house over HTTP and WebSocket, for browsers and for bots alike."""
