"""Trains the classifier and the argument heads of `retinue.models` on the example requests (precedents) of tools.

`make directions` trains again after precedents change. The product does not import this package.
"""
