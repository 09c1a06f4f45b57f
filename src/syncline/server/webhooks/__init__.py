"""Pushes that code hosts tell of: who sent them, what they are about, and which Applications to look at again.

Belongs here: reading what strangers send. Does not belong here: deciding what a push changes; the controller does.
"""
