"""How the database of labels came to its present tables, one step after the other."""
