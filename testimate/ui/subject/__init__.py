"""Parts of Project."""
