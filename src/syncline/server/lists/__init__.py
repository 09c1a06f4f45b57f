"""Applications as lists and streams: light rows, filters, fields, changes as they come."""
