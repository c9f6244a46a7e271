"""What Alembic runs for each command: the connection is always given by `migrate`."""

from __future__ import annotations

from alembic import context

from ventuno.house.store.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
