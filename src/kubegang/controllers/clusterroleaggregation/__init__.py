"""Cluster roles that gather the rules of others."""
