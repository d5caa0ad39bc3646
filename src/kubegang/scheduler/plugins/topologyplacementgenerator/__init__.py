"""The plugin TopologyPlacementGenerator."""
