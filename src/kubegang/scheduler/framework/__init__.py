"""Contracts that plugins and the core share. Pure."""
