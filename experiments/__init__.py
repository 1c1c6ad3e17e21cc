"""The experiments behind the pages of results: the papers' figures and tables, the lab's parts, and networks.

Each registers itself in its file, see :mod:`swarm_control.analysis.experiments`; :mod:`~swarm_experiments.register` imports them all.
"""
