"""Automatic tuning: which parameters, what is good, and the search for the best."""
