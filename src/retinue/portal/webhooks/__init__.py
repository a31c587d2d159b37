"""Webhooks: endpoints, their deliveries, and the events that there are.

Delivering does not belong here but to `webhooks`.
"""
