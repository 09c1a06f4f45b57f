"""Which other objects an object names: `syncline.core.references.read` for one object, rules by kind beside it."""
