"""A cluster in which everything may happen, and a scheduler that is watched all the while."""
