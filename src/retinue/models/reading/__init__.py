"""What a request says without a doubt, so that a small model need not be asked."""
