"""What a sandbox plays: the cluster file, its settings, the world outside, faults put in by tests."""
