"""Parts of the Compare models page."""
