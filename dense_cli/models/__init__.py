"""Models from their ``config.json`` alone: what it says, what it leaves to its family, and what follows."""
