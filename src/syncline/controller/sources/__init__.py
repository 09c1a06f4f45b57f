"""What is desired: revisions resolved, commits verified, sources rendered once and kept."""
