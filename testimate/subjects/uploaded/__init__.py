"""A tester's own model and data, opened from their files: task, class order, preprocessing, and the stored record."""
