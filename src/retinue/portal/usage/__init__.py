"""Usage: charts by day and resource, plan limits and the export.

Counting is not part of this package; see `usage`.
"""
