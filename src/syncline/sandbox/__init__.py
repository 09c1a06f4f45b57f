"""The embedded Kubernetes: an API server, its store and simulated controllers, in one process.

Belongs here: all that answers Kubernetes requests and plays a cluster's own controllers. Uses `syncline.apimachinery`
and `syncline.ports`, never the deciding code, so that both can be tested against one another. Build one with
`syncline.sandbox.server.Sandbox`; reach it through `Sandbox.transport` or over `syncline.sandbox.serving.http`.
"""
