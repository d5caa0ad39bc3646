"""The plugin DefaultBinder."""
