"""Usage: charts by day and resource, plan limits and the export.

Counting does not belong here but to `usage`.
"""
