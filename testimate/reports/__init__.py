"""A session in words, as a report, and as files for other tools."""
