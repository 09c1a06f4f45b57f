"""Stories of broken platforms that anybody can play: what was seen, what was wrong, what repairs it."""
