"""What can be asked of the house over HTTP, one module for each desk."""
