"""What is read of a fleet, and what is made of it.

Belongs here: where a fleet is read from, and which output is wanted. How an answer looks is in `syncline.cli.show`.
"""
