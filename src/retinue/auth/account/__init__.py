"""The caller's own user: name, password and second factor.

Exporting or deleting all data of a user does not belong here but to `account_data`.
"""
