"""Replaying: a trace of jobs played against a cluster in virtual time."""
