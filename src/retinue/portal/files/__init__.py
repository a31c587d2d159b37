"""Files: uploading, looking at and deleting them.

Documents made of a tool's own records do not belong here.
"""
