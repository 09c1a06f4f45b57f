"""How fast many Applications are delivered, and what they cost at rest."""
