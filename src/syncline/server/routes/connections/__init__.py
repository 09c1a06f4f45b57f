"""Routes of what Applications are read from and delivered to: repositories and clusters."""
