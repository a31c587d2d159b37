"""Agents that speak A2A as tools: their cards are read, and messages sent to them by JSON-RPC.

Retinue's own A2A endpoint does not belong here: this is the client.
"""
