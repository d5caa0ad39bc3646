"""The plugin NodePorts."""
