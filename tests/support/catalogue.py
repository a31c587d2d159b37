"""The catalogue of tools, read once for all tests that are made from it while they are collected."""

from retinue.tools.catalogue.catalogue import Catalogue

CATALOGUE = Catalogue.load()
TOOLS = list(CATALOGUE)
