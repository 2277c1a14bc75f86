"""Is the model still right? Evidence that grows with each batch, kept in a file between them."""
