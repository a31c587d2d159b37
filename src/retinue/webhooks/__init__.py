"""Webhooks: customers' endpoints, and bringing events to them.

Which events there are does not belong here: each domain declares its own beside the code that emits it.
"""
