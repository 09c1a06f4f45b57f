"""Tells people: subjects of the runtime that look at Applications and causes, and send what is due.

Belongs here: when to look, what was sent, when to try again. Does not belong here: what is due and what it says, which
is `syncline.core.notify`, and how it gets there, which is `syncline.ports.notify`.
"""
