"""What an operator needs: settings, server, health, metrics, logs."""
