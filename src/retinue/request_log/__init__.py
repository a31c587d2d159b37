"""The request log: recent API requests of each account and their outcomes.

It stores what a developer needs for debugging: time, operation, credential and outcome. It stores no bodies, headers
or query strings. Usage belongs in `usage`, and the record of changes in `auth/audit`.
"""
