"""What is live, followed by list and watch: one index per cluster, kept compact."""
