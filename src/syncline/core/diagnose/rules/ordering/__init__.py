"""Rules about what must be there before something else (ORD)."""
