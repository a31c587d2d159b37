"""The request log, live.

Recording requests does not belong here but to `request_log`.
"""
