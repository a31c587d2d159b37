"""The marketplace: items that users publish and install as agents, fleets, tool sources and schedules.

Those resources belong to their own packages. This one only calls their services, in one transaction where possible.
"""
