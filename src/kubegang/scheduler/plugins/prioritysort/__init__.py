"""The plugin PrioritySort."""
