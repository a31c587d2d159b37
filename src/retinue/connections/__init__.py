"""Connections: named credentials of an account, which tools and sources of tools use and nobody reads.

How a credential is used belongs to the tools; here it is kept, opened for a call, and removed from what comes back.
"""
