"""Rules about Applications themselves: what they name, and what they are permitted (APP)."""
