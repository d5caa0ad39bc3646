"""The plugin GangScheduling."""
