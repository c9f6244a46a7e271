"""Names of a package that are imported when they are first asked for.

Nothing is imported here: `import ventuno` is in every start of the command line.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def make_getattr(package: str, homes: "Mapping[str, tuple[str, ...]]") -> "Callable[[str], object]":
    """The `__getattr__` of a package: `homes` are modules, each with the names that it has.

    A name that cannot be had, because a library of the extra `odds` is not installed, says so.
    """
    home_of = {name: home for home, names in homes.items() for name in names}

    def get_name(name: str) -> object:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        import sys
        from importlib import import_module

        try:
            found: object = getattr(import_module(home_of[name]), name)
        except ModuleNotFoundError as fault:
            line = f"{package}.{name} needs {fault.name}: pip install 'ventuno[odds]'"
            raise ModuleNotFoundError(line, name=fault.name) from None
        setattr(sys.modules[package], name, found)
        return found

    return get_name
