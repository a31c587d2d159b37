"""Webhooks: endpoints, their deliveries, and the events that there are."""
