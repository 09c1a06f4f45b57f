"""`syncline app`: one file per verb, and what several verbs share."""
