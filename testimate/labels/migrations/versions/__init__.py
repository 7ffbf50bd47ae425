"""The steps, oldest first by their numbers."""
