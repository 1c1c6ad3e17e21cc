"""A scenario flown with many values of its parameters and many seeds: which are flown, the runs that were made, the table, the picture."""
