"""The plugin NodeUnschedulable."""
