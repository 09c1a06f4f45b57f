"""`syncline scenario`: stories of broken platforms, listed and played."""
