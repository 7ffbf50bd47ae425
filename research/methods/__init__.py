"""Exact variances, campaigns by the thousand, and tests of difference, for the studies."""
