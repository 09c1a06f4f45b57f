"""Carries requests to routes and answers back: the table's types, bodies, failures, framing of streams, OpenAPI."""
