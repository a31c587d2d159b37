"""The marketplace: items that users publish and install. Installing makes agents, fleets, tool sources and schedules.

What these are belongs to their own rooms: this one only calls their services, in one transaction where it can.
"""
