"""The kernel that every domain package uses: database, errors, envelopes, events, leases.

Code that names an agent, a run, a tool or a call does not belong here.
"""
