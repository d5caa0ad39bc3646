"""A cluster's objects, read from anywhere, as the scheduler's cache takes them. No decisions."""
