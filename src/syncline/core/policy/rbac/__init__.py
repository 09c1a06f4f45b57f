"""Who may do what: the policies of argocd-rbac-cm and of project roles, read, checked and decided. Pure."""
