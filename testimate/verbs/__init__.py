"""The verbs of the terminal as Python calls: subjects and tables at hand in, records that read as sentences out."""
