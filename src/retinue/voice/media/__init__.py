"""The server's side of the media worker, the process that handles telephone lines and speech.

Code that runs inside that process does not belong here but in `voice.worker`.
"""
