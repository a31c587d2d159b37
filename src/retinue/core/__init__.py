"""What every domain stands on and no domain knows: database, errors, envelopes, events, leases."""
