"""Picture and sound of studio tables: published by the dealer's browser, relayed without decoding, recorded on wish."""
