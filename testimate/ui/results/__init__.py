"""Parts of the Results page."""
