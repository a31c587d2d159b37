"""Connections."""
