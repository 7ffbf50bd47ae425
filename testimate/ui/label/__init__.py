"""Parts of the Label page."""
