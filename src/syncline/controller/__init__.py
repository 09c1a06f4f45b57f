"""The loop: observe, decide, act, record.

Belongs here: the runtime that works on keys (`runtime`), the subjects on it (`deliver`: reading everything a decision
needs, writing what it says, writing down what came of it), and what feeds both (`live`, `sources`, `clusters`). Does
not belong here: the decisions themselves (`syncline.core`) and any knowledge of how the outside is reached
(`syncline.ports`).
"""
