"""Third-party tools: modules of installed packages, and modules in the folder `tools.d`.

A package declares the entry point group `retinue.tools`, and `tools.authoring.libraries` finds it. If an entry point
names a module rather than a library, this package compiles the module. It notices changes in `tools.d` of the data
folder while the server runs. A separate process compiles the modules, and their tools run in tool workers.

Tools that an account imports do not belong here but in `tools.imports`: third-party tools are there for all accounts.
"""
