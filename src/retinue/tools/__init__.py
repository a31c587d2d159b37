"""The catalogue of executable tools: declared, compiled, searched, and run in confined processes.

The tools themselves do not belong here: they come from packages that declare the entry point `retinue.tools`.
"""
