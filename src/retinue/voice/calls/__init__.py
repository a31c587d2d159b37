"""Telephone calls of agents. The media worker handles the lines; this package handles the records and the
conversation.

Audio belongs in `voice.worker`.
"""
