"""What a viewer may see of a table, built up from public facts and his own."""
