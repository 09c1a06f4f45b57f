"""The measurements of the fleet once more, on a real kube-apiserver with etcd."""
