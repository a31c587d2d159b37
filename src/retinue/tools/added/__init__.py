"""Tools of other authors: of modules in installed packages, and of modules in the folder `tools.d`.

A package declares the entry point group `retinue.tools`, and `retinue.tools.libraries` finds it. Where an entry point
names a module, and no library, the module is compiled here. A module in `tools.d` of the data folder is noticed while
the server runs. All accounts have these tools beside those of the catalogue. They are compiled in a process of their
own and run in tool workers, like all tools that compute.
"""
