"""The plugin DynamicResources."""
