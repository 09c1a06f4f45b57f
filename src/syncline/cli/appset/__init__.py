"""`syncline appset`: generate, list, show, create, delete and explain ApplicationSets."""
