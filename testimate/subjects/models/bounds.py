"""How large a model may be; every bound is checked before the memory is taken."""

MAX_FILE_BYTES = 2_000_000_000
"""Bytes of the file; of a folder, all its files together."""

MAX_PARAMETERS = 500_000_000
"""Numbers that a model may have learned: 2 GB as float32."""

MAX_CONFIG_BYTES = 16_000_000
"""Bytes of a description of layers, unpacked."""

MAX_LAYERS = 20_000
"""Layers or operations of a model."""

MAX_DEPTH = 60
"""Layers inside layers in a description."""

MAX_MESSAGE_BYTES = 4_000_000_000
"""Bytes of all arrays of one message between the program and a model's process."""
