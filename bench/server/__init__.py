"""What the web server costs: lists of thousands of Applications, and streams to hundreds of clients."""
