"""Rules about fetching and rendering (SRC)."""
