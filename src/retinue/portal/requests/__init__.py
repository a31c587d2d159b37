"""The live request log.

Recording requests is not part of this package; see `request_log`.
"""
