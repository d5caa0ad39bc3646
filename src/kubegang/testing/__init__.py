"""Builders, harness, matchers and snapshots as JSON, shipped for plugin authors too."""
