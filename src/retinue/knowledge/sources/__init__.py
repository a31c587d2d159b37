"""Websites and folders that a collection keeps in step with: a document for each page or file, added, read again when
it has changed, and deleted when it is gone.

A synchronization is durable without a state of its own. The worker of sources queues the documents where it begins,
and the worker of documents adds the pages that each page links to. When no document of the source is open any more,
documents that this synchronization has not found are deleted.
"""
