"""Validation of the resource group: devices and claims on them (DRA)."""
