"""Agents: the list, the form to create and change one, and one agent with its runs.

A run's own page does not belong here but to `portal.runs`.
"""
