"""The verbs of the terminal as Python calls: subjects and tables in, records that print as sentences out."""
