"""Webhooks: customers' endpoints, and delivering events to them.

Event classes do not belong here: each domain declares its own beside the code that emits them.
"""
