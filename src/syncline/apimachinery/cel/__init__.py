"""Kubernetes' dialect of the Common Expression Language: reads, checks and runs expressions.

`syncline.apimachinery.schema.cel` runs the rules of CRDs with it, the sandbox those of admission policies. `program`
compiles an expression for an environment (`library`); what comes out runs on plain values (`values`). Written here,
because a rule comes from whoever wrote a repository: decision 4 says which libraries were looked at.
"""
