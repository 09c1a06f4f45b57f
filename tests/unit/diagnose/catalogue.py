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
}
"""What the rules that exist call the meanings of the catalogue."""
