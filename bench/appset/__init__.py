"""ApplicationSets of thousands: the first pass, and one in which nothing has changed."""
