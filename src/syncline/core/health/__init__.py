"""How healthy an object is, and why: `syncline.core.health.assess` for one object, `aggregate` for an app."""
