"""The settings of the reader's own user.

Settings of the server do not belong here: they come from its environment.
"""
