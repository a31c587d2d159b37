"""Signing in: by password, by one-time link, and signing up. What is here needs no credential."""
