"""The diagnosis that the controller publishes: reasoned from the live views it has, written when it changes."""
