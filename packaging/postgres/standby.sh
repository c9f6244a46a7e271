#!/bin/sh
# A copy of the primary at the first start, then whatever that writes, before it is acknowledged.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    until pg_basebackup --pgdata="$PGDATA" --write-recovery-conf --slot=standby --checkpoint=fast \
        --dbname="host=database user=replica password=$REPLICA_PASSWORD application_name=standby"; do
        sleep 1
    done
fi
exec docker-entrypoint.sh postgres
