"""`syncline cluster` and `syncline facts`: destination clusters."""
