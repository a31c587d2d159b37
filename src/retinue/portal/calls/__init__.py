"""Pages of telephone calls.

Conference rooms do not belong here but to `portal.rooms`.
"""
