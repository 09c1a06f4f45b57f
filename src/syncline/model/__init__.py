"""The nouns of GitOps, as values.

Belongs here: Argo CD's objects as frozen Structs, what the engine exchanges (desired, comparison, plan, decision,
result, finding, snapshot) and every annotation and label name, once. Does not belong here: decisions, input, output.
Everything above `syncline.apimachinery` may import it.
"""
