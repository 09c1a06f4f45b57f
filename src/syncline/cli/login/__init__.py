"""`syncline login`, `logout` and `context`: logins to API servers."""
