"""Normalization of words, text features and names of time zones.

Models and tool selection use it; nothing here knows a tool, a model or a user.
"""
