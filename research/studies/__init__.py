"""The programs behind docs/studies."""
