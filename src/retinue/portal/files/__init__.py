"""Files: upload, list, download and delete them.

Documents that tools create from their own records do not belong here.
"""
