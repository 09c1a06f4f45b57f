"""What checks on Applications share: what their conditions, operations, sets and waves say."""
