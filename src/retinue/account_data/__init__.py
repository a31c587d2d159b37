"""All data of a user at once: its deletion and its export.

Which rows there are, each room declares beside its tables; see `registry`.
"""
