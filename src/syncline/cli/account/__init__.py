"""`syncline account`: the accounts of an installation and what they may do."""
