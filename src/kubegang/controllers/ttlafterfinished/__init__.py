"""Finished Jobs that are to be deleted after a time."""
