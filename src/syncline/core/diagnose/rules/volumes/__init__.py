"""Rules about claims and volumes (WKL)."""
