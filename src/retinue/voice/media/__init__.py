"""The server's side of the media worker: the process that holds telephone lines and does speech.

What runs inside that process does not belong here but to `voice.worker`.
"""
