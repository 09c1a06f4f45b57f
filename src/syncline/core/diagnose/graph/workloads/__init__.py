"""What checks on pods share: why one does not start, ends, is not placed, or calls in vain."""
