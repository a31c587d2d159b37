"""The audit log as a page and as CSV.

Writing entries is not part of this package; see `auth.audit`.
"""
