"""All that one viewer sees of a table."""

from __future__ import annotations

from ventuno.core.rules.money import PlayerId
from ventuno.core.table.state import Table
from ventuno.core.views.private_view import PrivateView, build_private_view
from ventuno.core.views.public_view import PublicView, build_public_view


def build_views(table: Table, viewer: PlayerId) -> tuple[PublicView, PrivateView]:
    return build_public_view(table), build_private_view(table, viewer)
