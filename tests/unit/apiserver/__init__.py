"""Tests of the API server, module by module."""
