"""The loop: observe, decide, act, record.

Belongs here: reading everything a decision needs (`observe`), writing what it says (`act`), writing down what came of
it (`record`), the queue and the watches that feed it. Does not belong here: the decisions themselves
(`syncline.core`) and any knowledge of how the outside is reached (`syncline.ports`).
"""
