"""Tests of the printers, by kind."""
