"""Scripts of users: `syncline.ports.evaluate` by worker processes that can be killed.

Belongs here: running Lua and jq within limits of time and memory, and remembering results. Does not belong here: which
script an object gets and what a result means. The modules `evaluator`, `process` and `memo` live in the program itself;
`worker`, `lua`, `values` and `deletion` in the worker only, and import nothing heavy: a worker must start quickly.
"""
