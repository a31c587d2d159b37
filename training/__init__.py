"""How it is learned which tool a request means: from the precedents of tools, placed by the model's first blocks.

`make directions` does it again, after precedents have changed. Nothing of this runs in the product.
"""
