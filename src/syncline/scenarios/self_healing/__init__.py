"""A platform on OpenShift whose first deployment stops at seven different places."""
