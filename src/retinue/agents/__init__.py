"""Agents: their records, and putting them to work."""
