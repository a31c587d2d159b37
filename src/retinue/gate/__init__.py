"""The layer in front of every request: request id, caller, rate limits and error responses.

It knows no resources; the logic of operations does not belong here.
"""
