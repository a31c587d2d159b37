"""Bookmarks: addresses that an account keeps, each with a title.

Reading the pages behind the addresses does not belong here.
"""
