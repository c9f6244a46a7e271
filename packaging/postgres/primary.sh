#!/bin/sh
# Once, when the primary's books are made: a role for standbys, and from then on nothing is acknowledged that only this
# machine has. The last line takes effect with the next start: before, there is no standby to wait for.
set -eu
psql --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" --set=ON_ERROR_STOP=1 --set=word="$REPLICA_PASSWORD" <<'SQL'
CREATE ROLE replica REPLICATION LOGIN PASSWORD :'word';
SELECT pg_create_physical_replication_slot('standby');
SQL
echo "host replication replica all scram-sha-256" >> "$PGDATA/pg_hba.conf"
psql --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" --set=ON_ERROR_STOP=1 \
    --command="ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (standby)'"
