"""A doctor for data: what is wrong or odd with columns before they are scored."""
