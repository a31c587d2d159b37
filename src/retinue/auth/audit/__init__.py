"""The audit log: who changed what, when, from where and with which credential.

Services write an entry in the transaction of the change. Entries are never changed; they are removed when they are old.
"""
