"""What is simulated, held against other libraries and drawn for the documentation."""
