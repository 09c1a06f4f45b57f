"""The types of answers, one for each endpoint: OpenAPI, the page's TypeScript and the tests of answers come from them.

Belongs here: shapes of JSON that routes answer. Does not belong here: code that makes them. Handlers may return plain
values; tests convert real answers into these types.
"""
