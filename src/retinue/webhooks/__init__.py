"""Webhooks: customers' endpoints, and bringing events to them."""
