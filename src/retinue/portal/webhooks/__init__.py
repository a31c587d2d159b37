"""Webhooks: endpoints, their deliveries, and the catalogue of events.

Delivering is not part of this package; see `webhooks`.
"""
