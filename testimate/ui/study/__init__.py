"""Parts of the Study page."""
