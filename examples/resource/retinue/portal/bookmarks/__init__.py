"""The page of bookmarks: list, add and delete them.

Changing a bookmark has no page, only an operation of the API.
"""
