"""Schedules: work that starts at set times.

The work itself is not part of this package; see the pages of agents and fleets.
"""
