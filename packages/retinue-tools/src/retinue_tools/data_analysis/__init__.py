"""Tools of the category Data analysis.

Modules whose names begin with an underscore are helpers of these tools only. Code that several categories share
belongs in `retinue.sdk`.
"""
