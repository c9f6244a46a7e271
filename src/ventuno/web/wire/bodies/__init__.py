"""What travels over HTTP: bodies that are asked with, and bodies that are answered."""
