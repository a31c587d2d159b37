"""The caller's own user: name, password and second factor.

Exporting or deleting all data of a user is not part of this package; see `account_data`.
"""
