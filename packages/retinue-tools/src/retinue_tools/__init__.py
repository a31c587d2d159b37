"""The tool catalogue of Retinue, a package for each category. Workers and the compiler import it.

Code that runs tools does not belong here. Tools import only `retinue.sdk` from the server.
"""
