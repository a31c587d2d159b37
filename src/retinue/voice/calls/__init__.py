"""Calls: an agent on the telephone. The media worker holds the lines; this room holds the records and the talk."""
