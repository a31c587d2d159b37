"""Calls: an agent on the telephone. The media worker holds the lines; this package holds the records and the talk.

Sound does not belong here but to `voice.worker`.
"""
