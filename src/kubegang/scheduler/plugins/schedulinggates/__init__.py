"""The plugin SchedulingGates."""
