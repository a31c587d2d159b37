"""Runs the command `retinue` for `python -m retinue`."""

from retinue.cli.main import main

main()
