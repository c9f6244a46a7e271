"""The event loops that a test of sockets runs on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
import uvloop

on_each_loop = pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
"""Buffers and closing are the loop's: on the plain one, and on the one that serves."""
Run = Callable[[Coroutine[Any, Any, None]], None]
