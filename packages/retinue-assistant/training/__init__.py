"""Trains the tool classifier and the heads of the assistant on the example requests (precedents) of tools.

`make train` writes `models/tool_classifier.npz` of the server and `heads/heads.npz` of the assistant. It runs before a
release, if precedents have changed: each version of the files stays in the history of the repository. The product does
not import this package.
"""
