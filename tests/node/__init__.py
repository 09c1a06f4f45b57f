"""Tests on a real node: kubelet, containerd and runc under a real control plane, all on this machine."""
