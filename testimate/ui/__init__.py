"""What screens share: the shell, what is open, jobs on screen, components, and the parts of each screen."""
