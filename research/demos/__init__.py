"""The programs behind the demos' weights and letters."""
