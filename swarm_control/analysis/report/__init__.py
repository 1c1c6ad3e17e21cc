"""Plots and tables of runs."""
