"""The one way out: addresses are checked, proxies found, downloads bounded and registries asked here, and nowhere else.

Used by adapters; commands use only the check of addresses and the texts without credentials.
"""
