"""Admission: what may be created or changed, and what is filled in, by plug-ins in a fixed order."""
