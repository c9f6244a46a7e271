"""The one vocabulary of the wire: what is asked, what is told, what a table looks like, what went wrong.

Plain frozen data classes: pydantic reads and publishes them, msgspec writes them. Amounts are integer cents, times are
milliseconds since 1970 in the house's clock, cards are two characters.
"""
