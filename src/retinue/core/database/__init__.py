"""The database: one interface for SQLite and PostgreSQL, statements, column types and declarations of ownership.

The tables of a domain belong to its package; work that outlives a transaction is in `core.work`.
"""
