"""Argo CD's gRPC API over HTTP/1.1 (grpc-web), for its command line: messages in, the routes of REST, messages out.

No method does anything of its own: `service` makes a request for a route of `syncline.server.table` of each call.
"""
