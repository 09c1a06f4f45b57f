"""The example GitOps repository that `syncline demo` starts from, as plain files."""
