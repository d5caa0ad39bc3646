"""Pod security standards: what a pod may ask for, by level (KEP-2579)."""
