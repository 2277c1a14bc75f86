"""The boundary: what a user hands in is checked once; what comes out is written once."""
