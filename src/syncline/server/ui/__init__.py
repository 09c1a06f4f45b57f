"""Routes that only the page asks for.

Belongs here: what a page needs beyond the API that others use. Does not belong here: anything a script would want too.
"""
