"""The audit log as a page and as CSV.

Writing entries does not belong here but to `auth.audit`.
"""
