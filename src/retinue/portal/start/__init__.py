"""The first minute: what do you want to do? Each answer leads to a useful result in a few clicks.

The pages create ordinary agents, collections, keys and providers by the services of their resources. They have no
records of their own.
"""
