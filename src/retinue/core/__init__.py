"""What every domain stands on and no domain knows: database, errors, envelopes, events, leases.

Whatever names an agent, a run, a tool or a call does not belong here.
"""
