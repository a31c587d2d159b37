"""Agents that speak A2A as tools: their cards are read, and messages sent to them by JSON-RPC."""
