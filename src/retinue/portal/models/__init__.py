"""Models: add providers, test them, and choose the default.

What providers are is not part of this package; see `providers`.
"""
