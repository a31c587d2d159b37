"""Signing in by password or one-time link, and signing out."""
