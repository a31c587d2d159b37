"""Rooms whose audio is at a LiveKit server. The client library is imported only if an operator configures a server.

Rooms that the media worker mixes do not belong here but in `voice.rooms`.
"""
