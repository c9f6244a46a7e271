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
    "settlement": ("Malformed", "Refused", "Settlement", "settle"),
    "sheets": ("load_sheet",),
    "shoe": ("Shoe",),
    "shoe_proof": ("read_shoe", "verify_shoe"),
    "solution": ("BetReturn", "Solution", "solve"),
    "strategy_chart": ("StrategyChart",),
    "table": ("Decision", "Table"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _HOME_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        try:
            globals()[name] = getattr(import_module(f"{__name__}.library.{_HOME_OF[name]}"), name)
        except ModuleNotFoundError as fault:
            line = f"ventuno.{name} needs {fault.name}: pip install 'ventuno[odds]'"
            raise ModuleNotFoundError(line, name=fault.name) from None
        return globals()[name]

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
