"""What authors declare: tools, their arguments, examples and aliases, and the libraries that contain them.

The modules here turn a decorated function into an entry of the catalogue. Authors import them from `retinue.sdk`. What
searches or runs the entries does not belong here.
"""
