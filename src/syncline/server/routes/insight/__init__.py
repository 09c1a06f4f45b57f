"""Routes of what only Syncline knows: why, causes, blame, checks of branches, the fleet."""
