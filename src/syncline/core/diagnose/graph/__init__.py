"""Many symptoms, few causes: `diagnose` walks from every symptom up to the first bad thing with nothing bad before it.

Belongs here: what a check on one thing says (`fault`), the judge that remembers it (`judge`), symptoms, causes, chains
and repairs; in `view` the index of what a diagnosis sees, in `applications` and `workloads` what checks on those share.
What is bad about a thing, and because of what,
is said by checks, one cause per file: in `syncline.core.diagnose.rules` beside their rule, or in
`syncline.core.diagnose.nodes` where the rule is one that looks at an app too. Nothing is asked of a cluster.
"""
