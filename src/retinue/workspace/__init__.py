"""The workspace: data that an account stores on the platform and shares among its tools and agents.

Uploaded files do not belong here but to `files`, and credentials to `connections`.
"""
