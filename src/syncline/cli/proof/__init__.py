"""`syncline check --deliver`: brings a repository up on a sandbox in virtual time, and tells what stays unhealthy."""
