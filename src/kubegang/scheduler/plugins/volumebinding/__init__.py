"""The plugin VolumeBinding."""
