"""Rendering without a cluster: `render`, `blame`, and what other commands render with."""
