"""Deployments, ReplicaSets, StatefulSets, DaemonSets, Jobs, CronJobs and autoscalers."""
