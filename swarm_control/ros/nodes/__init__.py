"""The nodes: one file each, one process each."""
