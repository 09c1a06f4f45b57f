"""Who may do what: RBAC, and tokens of service accounts."""
