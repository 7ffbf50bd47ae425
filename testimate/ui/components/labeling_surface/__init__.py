"""The labeling surface: shows the next input at once, never labels the wrong input, and loses nothing on the way."""
