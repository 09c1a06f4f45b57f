"""Decides who is told what: triggers, subscriptions, templates and messages of notifications, as Argo CD has them.

Belongs here: from settings and objects to messages that are due, and what was told already. Does not belong here: how a
message reaches its receiver (`syncline.ports.notify`) and when objects are looked at (`syncline.controller.notify`).
"""
