"""The plugin NodeName."""
