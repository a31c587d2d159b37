"""The owner's pages for sharing an agent: its link, the script tag for a site, and the settings of the key.

What visitors load belongs to `portal.widget`.
"""
