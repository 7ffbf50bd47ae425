"""Testimate: label a few inputs of a neural network, know the accuracy of all, and see its faults."""
