"""Implements `retinue check`: recomputes all derived data and compares it with the stored values.

The rules of a part of the platform are in the module of its name. `faults` runs them all.
"""
