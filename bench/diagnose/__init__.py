"""How long a diagnosis takes, by how much it is given."""
