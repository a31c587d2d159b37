"""Usage: charts by day and resource, limits of the plan, and the export.

Counting does not belong here but to `usage`.
"""
