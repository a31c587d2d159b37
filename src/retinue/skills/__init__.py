"""Agent Skills of accounts: importing them, storing their files, and the tools with which agents read and run them.

Which skills an agent has is a field of `agents`. Offering the tools to a model belongs to `runs`.
"""
