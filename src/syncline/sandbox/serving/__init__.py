"""How a sandbox is reached: in the same process, or over HTTP with TLS and a kubeconfig."""
