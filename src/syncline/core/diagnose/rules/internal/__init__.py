"""Rules about Syncline itself (INT)."""
