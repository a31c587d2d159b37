"""Webhooks: endpoints, their deliveries, and the catalogue of events.

Delivering does not belong here but to `webhooks`.
"""
