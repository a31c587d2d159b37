"""Schedules: work that starts at set times.

The work itself does not belong here but to the pages of agents and fleets.
"""
