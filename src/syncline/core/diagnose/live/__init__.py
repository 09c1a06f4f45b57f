"""What rules on apps and their live objects share: pods, nodes, hooks, drift, who delivers what, the lines in Git."""
