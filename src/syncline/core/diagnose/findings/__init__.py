"""What becomes of findings: put in order, said once, silenced, redacted, remembered, patched and published."""
