"""Simulated nodes: pods bound to them start, become ready, end; stages are data."""
