"""Subjects that people bring: prediction tables, models and data, each with its own key, data and fingerprint."""
