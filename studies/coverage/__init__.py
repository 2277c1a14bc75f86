"""How often bands and intervals hold what they should, and how often tests reject."""
