"""The nouns every floor shares: tasks, draws, designs, verdicts, votes, estimates, protocols and errors."""
