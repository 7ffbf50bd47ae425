"""Campaigns over known truth: techniques side by side, their tables, and races."""
