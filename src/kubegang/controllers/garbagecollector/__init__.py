"""Owner references followed to the end."""
