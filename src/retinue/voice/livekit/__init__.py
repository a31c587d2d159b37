"""Rooms whose sound is at a LiveKit server. Its client library is imported only where an operator names a server.

Rooms that the media worker mixes do not belong here but to `voice.rooms`.
"""
