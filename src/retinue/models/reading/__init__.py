"""What a request says without a doubt, so that a small model need not be asked.

What has to be weighed or learned does not belong here but to `models.assistant`.
"""
