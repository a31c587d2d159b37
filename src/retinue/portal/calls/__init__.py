"""Pages of telephone calls.

Conference rooms are not part of this package; see `portal.rooms`.
"""
