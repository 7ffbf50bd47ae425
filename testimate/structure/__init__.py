"""Groups of inputs: clusters, prototypes and criticisms, strata, and the allocation of a budget to them."""
