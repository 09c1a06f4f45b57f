"""How a diagnosis looks: on a screen, in a document, in a chat, as a page, as data.

Handed a `Report` by `syncline.cli.diagnose`. Formats that are passed on leave lines of logs out unless asked.
"""
