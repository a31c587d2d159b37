"""Account data: the deletion of all data of a user, and its export.

Each domain declares which rows belong to a user beside its tables; see `registry`.
"""
