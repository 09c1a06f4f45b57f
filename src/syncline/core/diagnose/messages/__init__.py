"""What messages mean: those of API servers, kubelets, ending programs, and of readers of sources and specs."""
