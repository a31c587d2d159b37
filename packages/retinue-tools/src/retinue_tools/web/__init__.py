"""Tools of the category Web.

Helpers that only these need are the modules that begin with an underscore. What tools of several categories
need does not belong here but to `retinue.sdk`.
"""
