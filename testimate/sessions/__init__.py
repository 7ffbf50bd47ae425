"""Labeling sessions: what is asked, recorded, resumed and reported; projects, and jobs in the background."""
