"""What is made of runs: metrics, recordings, reports, tuning."""
