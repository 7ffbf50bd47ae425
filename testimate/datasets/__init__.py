"""Datasets of unknown origin: pictures, arrays, tables, texts and sounds, read without running or following anything."""
