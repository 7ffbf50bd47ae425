"""The verbs of the terminal as Python calls: they take subjects and tables, and return records that print as sentences."""
