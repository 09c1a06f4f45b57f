"""What a monitoring system adds to a diagnosis: alerts as symptoms and evidence, series as evidence."""
