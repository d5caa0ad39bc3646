"""The plugin VolumeZone."""
