"""Connections: named credentials of an account for tools and tool sources. Nobody can read them back.

Using a credential belongs to the tools. This package stores it, decrypts it for a call, and redacts it from results.
"""
