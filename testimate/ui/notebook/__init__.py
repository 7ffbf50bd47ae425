"""The labeling surface in a notebook: the labels of a plan, and the widget that asks for them."""
