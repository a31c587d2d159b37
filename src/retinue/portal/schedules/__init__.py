"""Schedules: work that begins by the clock."""
