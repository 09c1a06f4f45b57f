"""`syncline shadow`: run beside a living Argo CD for days, and read where the two differ."""
