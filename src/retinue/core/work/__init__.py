"""Work that outlives a request: leases, workers, the outbox of events, wake-ups and retention.

What the workers do belongs to the domains.
"""
