"""PodDisruptionBudget and Eviction, as the code reads them."""
