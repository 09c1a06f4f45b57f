"""The catalogue of causes: which codes are given to which meanings, with how bad each is.

The list that the rules were planned from. A rule with one of these codes has this severity; a rule that is not on the
list has a number that is not.
"""

ERRORS = """
    SET-001 SET-003 SET-008 SET-009 APP-001 APP-003 APP-004 APP-005 APP-007 APP-008 APP-011 SRC-001 SRC-002 SRC-004
    SRC-006 SRC-008 SRC-009 SRC-010 SRC-011 DIF-005 DIF-007 DIF-009 DIF-010 ORD-001 ORD-002 ORD-004 ORD-005 ORD-006
    ORD-009 ORD-014 OWN-001 OWN-002 OWN-003 OWN-004 OWN-006 OWN-007 APS-001 APS-002 SEC-001 SEC-002 SEC-003 SEC-004
    SEC-005 WKL-001 WKL-002 WKL-003 LIV-002 LIV-006 LIV-008 LIV-012
"""
WARNINGS = """
    SET-002 SET-004 SET-005 SET-006 SET-010 APP-002 APP-006 APP-009 APP-010 APP-012 APP-013 APP-014 APP-015 APP-016
    APP-017 SRC-003 SRC-005 SRC-007 SRC-012 DIF-001 DIF-002 DIF-003 DIF-004 DIF-006 DIF-008 DIF-011 DIF-012 DIF-013
    DIF-014 ORD-003 ORD-007 ORD-008 ORD-010 ORD-011 ORD-012 ORD-013 ORD-015 OWN-005 OWN-008 OWN-009 APS-003 APS-004
    APS-005 SEC-007 WKL-004 WKL-005 WKL-006 WKL-007 LIV-001 LIV-003 LIV-004 LIV-005 LIV-007 LIV-010 LIV-011
"""
REMARKS = "SET-007 SEC-006"

SEVERITIES = {
    code: severity
    for severity, codes in (("error", ERRORS), ("warning", WARNINGS), ("info", REMARKS))
    for code in codes.split()
}
MEANINGS = {
    "SET-001": "setting-nobody-reads",
    "SET-009": "unknown-field",
    "APP-001": "revision-not-found",
    "APP-003": "path-not-found",
    "APP-005": "not-permitted",
    "APP-007": "namespace-missing",
    "APP-008": "namespace-absent",
    "APP-015": "values-in-two-fields",
    "APS-002": "colliding-names",
    "SRC-001": "source-failed",
    "SRC-004": "empty-override",
    "SRC-008": "repeated-object",
    "SRC-009": "undeclared-field",
    "SRC-010": "too-large-to-apply",
    "SRC-011": "version-not-served",
    "DIF-005": "unused-ignore-rule",
    "DIF-003": "replicas-with-autoscaler",
    "DIF-006": "whole-object-ignored",
    "DIF-009": "immutable-field-ignored",
    "DIF-010": "repeated-list-key",
    "DIF-013": "changed-on-admission",
    "ORD-001": "kind-missing",
    "ORD-005": "claim-before-consumer",
    "ORD-013": "wave-without-effect",
    "OWN-001": "shared-object",
    "OWN-002": "data-deleted",
    "OWN-007": "immutable-change",
    "WKL-001": "unschedulable",
    "SEC-002": "store-missing",
    "SEC-003": "store-not-ready",
    "SEC-004": "reference-missing",
    "WKL-002": "image-not-found",
    "WKL-003": "pull-secret-missing",
    "WKL-004": "quota-exceeded",
    "WKL-006": "service-without-pods",
    "WKL-007": "stuck-revision",
    "LIV-003": "sync-stuck",
    "LIV-005": "revision-failed",
    "LIV-010": "deletion-stuck",
    "OWN-003": "moved-object",
    "SRC-005": "unread-value",
    "OWN-009": "operator-goes-with-its-objects",
    "DIF-012": "removed-key-stays",
    "OWN-004": "renamed-app",
    "SET-002": "apply-and-diff-differ",
    "SET-003": "waves-without-health",
    "SET-004": "stale-health-check",
    "SET-005": "health-hides-failures",
    "SET-006": "out-of-sync-only",
    "SET-007": "cache-shorter-than-refresh",
    "SET-008": "excluded-kind",
    "SET-010": "label-tracking",
    "APP-002": "stale-branch",
    "APP-006": "namespace-not-created",
    "APP-009": "automated-without-retry",
    "APP-010": "empty-render-prunes",
    "APP-011": "name-too-long",
    "APP-012": "deleted-with-its-file",
    "APP-013": "zero-values",
    "APP-016": "floating-chart",
    "APP-017": "generate-paths-incomplete",
    "SRC-002": "unsteady-render",
    "SRC-006": "required-field-empty",
    "SRC-007": "remote-base-unpinned",
    "SRC-012": "two-hook-styles",
    "DIF-004": "injected-field-written",
    "DIF-007": "ignored-but-applied",
    "DIF-008": "list-ignored-and-respected",
    "DIF-011": "platform-fills-field",
    "DIF-014": "webhook-with-side-effects",
    "DIF-002": "quantity-spelling",
    "ORD-002": "definition-in-later-app",
    "ORD-003": "definition-made-by-operator",
    "ORD-004": "consumer-before-producer",
    "ORD-006": "hook-before-its-needs",
    "ORD-007": "hook-vanishes",
    "ORD-008": "hook-without-end",
    "ORD-009": "command-not-permitted",
    "ORD-010": "readiness-needs-post-hook",
    "ORD-011": "wave-gates-nothing",
    "ORD-014": "webhook-guards-itself",
    "OWN-006": "definition-recreated",
    "OWN-008": "data-recreated",
    "APS-001": "generates-nothing",
    "APS-003": "missing-key-unnoticed",
    "APS-004": "deletes-all-it-made",
    "APS-005": "step-without-apps",
    "SEC-001": "secret-in-git",
    "SEC-005": "store-account-namespace",
    "SEC-006": "one-store-for-many",
    "SRC-003": "lookup-without-cluster",
    "DIF-001": "defaults-in-lists",
    "ORD-012": "wave-never-healthy",
    "ORD-015": "image-before-build",
    "SEC-007": "copied-login",
    "WKL-005": "too-many-volumes",
    "APP-004": "renders-another-app",
}
"""What the rules that exist call the meanings of the catalogue."""
