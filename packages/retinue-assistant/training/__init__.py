"""Trains the classifier and the argument heads of `retinue.models` on the example requests (precedents) of tools.

`make train` writes `retinue/models/heads.npz`. It runs before a release, if precedents have changed: each version of
the file stays in the history of the repository. The product does not import this package.
"""
