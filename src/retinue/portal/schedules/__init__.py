"""Schedules: work that begins by the clock.

The work itself does not belong here but to the pages of agents and fleets.
"""
