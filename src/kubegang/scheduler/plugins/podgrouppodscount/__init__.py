"""The plugin PodGroupPodsCount."""
