"""The labeling surface: the next input at once, no label on a wrong input, nothing lost on the way."""
