"""Telephone calls of agents: their records and conversations.

Lines and audio do not belong here but in `voice.worker`.
"""
