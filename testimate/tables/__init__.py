"""Everything tabular, read by one reader: formats, cells, roles of columns, and answers."""
