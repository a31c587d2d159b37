"""What users see and change of themselves: name, password, second factor."""
