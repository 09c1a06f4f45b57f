"""The decisions, pure: comparison, health, planning, stepping, deciding, diagnosing.

Belongs here: functions from values to values. Does not belong here: input, output, clocks, randomness, logging; time
comes in as `snapshot.as_of`. `syncline.controller`, `syncline.server` and `syncline.cli` call it; it imports
`syncline.model` and `syncline.apimachinery` only.
"""
