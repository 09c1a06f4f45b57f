"""What pipelines call: `syncline ci`. The YAML of a pipeline names the command and nothing else."""
