"""The page Versions."""
