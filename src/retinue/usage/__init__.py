"""Usage: what each account used, counted as it happens, and the limits of its plan.

Limits by the second, which refuse a request, do not belong here but to `gate`.
"""
