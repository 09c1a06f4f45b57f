"""Checks on single things for causes whose rule looks at an app too: one cause per file, listed in `node_registry`.

In a folder each: `apps`, `pods` and their workloads, other `objects`, and what the API server `refused`. Each uses the
rule of `syncline.core.diagnose.rules` for code, name and severity, and says in addition because of what the thing is
bad. Causes that only `diagnose` looks for have rule and check together in that folder.
"""
