"""The tool catalogue of Retinue, a package for each category. Workers and the compiler import it.

What runs tools does not belong here: of the server, tools import nothing but `retinue.sdk`.
"""
