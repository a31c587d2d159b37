"""Simulations: the list, the form with a few scenarios, and the page of results."""
