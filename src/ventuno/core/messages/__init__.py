"""The closed vocabularies: commands, events, refusals, the notes of a certificate."""
