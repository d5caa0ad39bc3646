"""Hashes of pod templates and revisions, equal to upstream's. Pure; nothing of the API here."""
