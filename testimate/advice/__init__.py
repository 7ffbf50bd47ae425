"""Which technique serves what the tester wants, how many labels, and what was measured of it."""
