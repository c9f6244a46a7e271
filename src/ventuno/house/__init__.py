"""The durable world around the core: what was acknowledged stays, whatever breaks."""
