"""A real Dex, the OpenID Connect provider that comes with Argo CD, as the judge of logins by SSO."""
