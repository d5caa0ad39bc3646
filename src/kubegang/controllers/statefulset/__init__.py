"""StatefulSets: pods with an ordinal, which gives them a name, a turn, and claims of their own."""
