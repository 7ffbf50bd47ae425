"""Parts of the Strata page."""
