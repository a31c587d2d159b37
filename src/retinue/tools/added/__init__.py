"""Tools of other authors: of installed packages, and of modules in the folder `tools.d`.

A package declares the entry point group `retinue.tools`; the value of each entry point names a module with tools. A
module in `tools.d` of the data folder is noticed while the server runs. All accounts have these tools beside those of
the catalogue. They are compiled in a process of their own and run in tool workers, like all tools that compute.
"""
