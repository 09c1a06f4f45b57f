"""Claims and volumes."""
