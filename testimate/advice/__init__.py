"""Advice on a plan: the technique for what the tester wants, the number of labels, and the evidence for both."""
