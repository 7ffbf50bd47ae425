"""Parts of Learn."""
