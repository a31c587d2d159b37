"""Implements `retinue check`: recomputes all derived data and compares it with the stored values.

The rules of each part of the platform are in the module of its name; `faults` runs them. A rule only reads: repairs do
not belong here, and neither do comparisons that need Python (`schedules.consistency`, `voice.rooms.consistency`).
"""
