"""Who is there and what they may do: accounts, passwords, tokens, sessions, rights, and requests from other sites.

Belongs here: everything that decides whether a request is answered. Does not belong here: what the answer is.
"""
