"""Several models on the same inputs: ranked without a label, and with few."""
