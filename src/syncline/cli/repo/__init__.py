"""`syncline repo`, `repocreds`, `cert` and `gpg`: what sources may use."""
