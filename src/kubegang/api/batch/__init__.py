"""Job, as the code reads it."""
