"""`syncline admin`: the engine on files."""
