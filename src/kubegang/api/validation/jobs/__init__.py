"""Rules of Jobs: the spec and its policies, what an update may change, the status."""
