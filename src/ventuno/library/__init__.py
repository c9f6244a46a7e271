"""What programs use: sheets, settlements, solutions, shoes, a table. `ventuno` has the names (docs/library.md)."""
