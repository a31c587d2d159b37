"""The request log: what the API answered to each request of an account, for a while.

It holds what a developer needs to find a mistake: when, which operation, which credential, what came of it. Bodies,
headers and queries are not in it. What an account has used is in `usage`, who changed what in `auth/audit`.
"""
