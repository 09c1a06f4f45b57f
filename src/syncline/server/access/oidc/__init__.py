"""Logins by an OpenID Connect provider, as `oidc.config` of argocd-cm names it."""
