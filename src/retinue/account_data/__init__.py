"""All data of a user at once: its deletion and its export.

Which rows there are is not listed here: each domain declares its own beside its tables, see `registry`.
"""
