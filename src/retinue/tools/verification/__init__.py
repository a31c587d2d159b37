"""Verify tools by their examples and at the limits of their schemas, against mock servers on loopback.

`retinue tools prove` and `retinue tools verify` use these modules. A running server never imports them.
"""
