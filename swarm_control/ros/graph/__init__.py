"""What runs and what is said: the plan of processes, the table of topics."""
