"""The engine of a labeling session: what is asked, recorded, replayed and estimated."""
