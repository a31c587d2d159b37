"""Third-party tools: modules of installed packages, and modules in the folder `tools.d`.

A package declares the entry point group `retinue.tools`, and `retinue.tools.libraries` finds it. If an entry point
names a module rather than a library, this package compiles the module. It notices changes in `tools.d` of the data
folder while the server runs.

Tools that an account imports do not belong here but to `tools.imports`: all accounts have these, in addition to the
catalogue. A separate process compiles them, and they run in tool
workers, like all tools that compute.
"""
