"""What screens share: the shell, where one is, jobs on screen, components, and the parts of each screen."""
