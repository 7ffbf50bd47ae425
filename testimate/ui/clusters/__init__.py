"""Parts of the Clusters page."""
