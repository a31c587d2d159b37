"""Pages of voice rooms.

Telephone calls are not part of this package; see `portal.calls`.
"""
