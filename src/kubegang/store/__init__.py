"""Revisions, compare-and-swap, watch and compaction over keys and bytes.

The store does not know what a pod is. ``interface`` is what the API server may ask;
``sqlite`` and ``memory`` keep the same promises under the same tests.
"""
