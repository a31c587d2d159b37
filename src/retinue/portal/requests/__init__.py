"""The live request log.

Recording requests does not belong here but to `request_log`.
"""
