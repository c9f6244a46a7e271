"""What a house keeps: records in hash chains, postings and keys, in a store that loses nothing."""
