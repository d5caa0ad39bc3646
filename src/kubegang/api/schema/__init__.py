"""Generated facts tables, one per Kubernetes version; written by scripts/generate_facts.py."""
