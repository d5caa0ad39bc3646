"""Admission: plug-ins that fill in or refuse what is to be written, in a fixed order."""
