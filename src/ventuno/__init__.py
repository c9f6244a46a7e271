"""Ventuno, a blackjack house: five games, each one a rule sheet, on one pure core.

For programs there is one way to each thing, and nothing is imported before it is asked for:

>>> import ventuno
>>> sheet = ventuno.load_sheet("ventuno", {"dealer.soft_17": "hit"})
>>> ventuno.settle("ventuno | - | 1:ada 1000 | 9S 7D TC TH | 1 stand", sheet).players["ada"].net
1000

`solve` needs the extra `odds`, `import ventuno.environments` the extra `research`; docs/library.md has all of it.
"""

__version__ = "0.1.0"

# What checkers of types take for true; `typing` itself would cost more than all that this module does.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from ventuno.library.settlement import Malformed, Refused, Settlement, settle
    from ventuno.library.sheets import load_sheet
    from ventuno.library.shoe import Shoe
    from ventuno.library.shoe_proof import read_shoe, verify_shoe
    from ventuno.library.solution import BetReturn, Solution, solve
    from ventuno.library.strategy_chart import StrategyChart
    from ventuno.library.table import Decision, Table

__all__ = [
    "BetReturn",
    "Decision",
    "Malformed",
    "Refused",
    "Settlement",
    "Shoe",
    "Solution",
    "StrategyChart",
    "Table",
    "load_sheet",
    "read_shoe",
    "settle",
    "solve",
    "verify_shoe",
]

_HOMES = {
    "ventuno.library.settlement": ("Malformed", "Refused", "Settlement", "settle"),
    "ventuno.library.sheets": ("load_sheet",),
    "ventuno.library.shoe": ("Shoe",),
    "ventuno.library.shoe_proof": ("read_shoe", "verify_shoe"),
    "ventuno.library.solution": ("BetReturn", "Solution", "solve"),
    "ventuno.library.strategy_chart": ("StrategyChart",),
    "ventuno.library.table": ("Decision", "Table"),
}

if not TYPE_CHECKING:
    from ventuno.lazy_imports import make_getattr

    __getattr__ = make_getattr(__name__, _HOMES)

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
