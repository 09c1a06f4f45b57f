"""Rules about whose an object is, and what deleting or replacing it destroys (OWN)."""
