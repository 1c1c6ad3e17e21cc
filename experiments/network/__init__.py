"""Experiments on networks, and the machines for them: network namespaces that lose and delay what they send."""
