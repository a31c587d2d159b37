"""What users see and change of themselves: name, password, second factor.

Deleting and exporting all their data does not belong here but to `account_data`.
"""
