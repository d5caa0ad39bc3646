"""The plugin ImageLocality."""
