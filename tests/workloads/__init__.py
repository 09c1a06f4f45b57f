"""Stories of workloads, played on a real control plane and on the sandbox's simulated controllers."""
