"""Protocols between the deciding code and the outside world.

Belongs here: narrow Protocols of a few methods and the small frozen values they exchange. Does not belong here: any
implementation. `syncline.controller` calls them, `syncline.adapters` and `syncline.sandbox` implement them,
`syncline.wiring` puts the two together.
"""
