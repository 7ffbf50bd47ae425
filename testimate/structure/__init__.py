"""How the inputs group: clusters, prototypes and criticisms, strata, and how a budget spreads over them."""
