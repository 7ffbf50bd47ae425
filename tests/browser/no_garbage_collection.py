"""Imported first by the process that servers are forked from: what it imports stays, and is not searched for garbage."""

import gc

gc.disable()
