"""Models from files, each opened safely in a process of its own."""
