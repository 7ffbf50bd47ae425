"""What the Team page shows: the testers, what a lead does with one of them, and what is said to all."""
