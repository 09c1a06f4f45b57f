"""Rules about the cluster under the apps: nodes, webhooks, API services, operators, what does not go away (LIV)."""
