"""Rules about pods and what keeps them from running (WKL)."""
