"""Parts of the Versions page."""
