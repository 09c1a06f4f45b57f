"""How one object is compared: client-side three-way, structured merge, or the server's dry run, and which of them."""
