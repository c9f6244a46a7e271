"""One round alone: scenarios, their settlement, records and notation."""
