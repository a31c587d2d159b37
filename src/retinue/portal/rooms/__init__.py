"""Pages of voice rooms.

Telephone calls do not belong here but to `portal.calls`.
"""
