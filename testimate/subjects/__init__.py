"""Subjects that people bring: prediction tables, models and data, each a `Subject` of its own key, data and fingerprint."""
