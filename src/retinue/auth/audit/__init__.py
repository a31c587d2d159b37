"""The audit log: who changed what, when, from which address and with which credential.

Services write an entry in the transaction of the change. Entries never change; a background job removes old ones.
"""
