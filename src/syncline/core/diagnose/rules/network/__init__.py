"""Rules about Services, Ingresses, gateways, addresses and names (LIV, WKL)."""
