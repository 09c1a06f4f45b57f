"""Which kinds are served and how they are described: discovery, OpenAPI, custom kinds and their schemas."""
