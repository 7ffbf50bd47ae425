"""What one folder holds: subjects, their features and clusters, sessions, bundles, and the jobs that run for it."""
