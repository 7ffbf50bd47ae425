"""Parts of the Team page: the testers, what a lead can do with one of them, and messages to all."""
