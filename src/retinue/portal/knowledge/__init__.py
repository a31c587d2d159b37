"""Knowledge: add documents that agents search, follow their indexing, search them and delete them.

The files of an account are in `files`. A document is a copy of a text, cut into passages. Changes of the file do not
reach it.
"""
