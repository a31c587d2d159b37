"""`python -m retinue`: the command `retinue`."""

from retinue.cli.main import main

main()
