"""The mathematics: exact values, certificates, the simulator. Reads the same sheets as the tables."""
