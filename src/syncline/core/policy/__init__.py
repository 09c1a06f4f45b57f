"""What a project permits: sources, destinations, kinds."""
