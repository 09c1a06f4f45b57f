"""Routes of Applications: reading and changing them, their objects, actions, logs."""
