"""Fleets: agents that take tasks as one group."""
