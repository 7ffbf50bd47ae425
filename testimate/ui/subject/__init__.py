"""Parts of the Subject page."""
