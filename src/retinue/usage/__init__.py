"""Usage: records each account's usage as it happens, and enforces the limits of its plan.

Per-second rate limits do not belong here but to `gate`.
"""
