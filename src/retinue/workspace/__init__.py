"""The workspace: what an account keeps on the platform, and its tools and agents share.

Uploaded files do not belong here but to `files`, and credentials to `connections`.
"""
