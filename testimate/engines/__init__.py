"""Where pieces of long work are done: the machines of a Ray cluster, each of which proves itself first."""
