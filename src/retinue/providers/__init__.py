"""Providers: the servers of language models that accounts and operators add. Nobody can read their keys back.

Calling a model belongs to `models`. This package stores providers, decides who sees them, and decrypts their keys.
"""
