"""What expressions cost: estimated before they run (`estimating`), charged while they do (`charges`)."""
