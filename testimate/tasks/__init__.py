"""What a tester answers: one file for each kind of task, which says all that its kind needs."""
