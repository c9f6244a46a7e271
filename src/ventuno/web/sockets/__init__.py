"""The socket: connections, table broadcasts, notifications."""
