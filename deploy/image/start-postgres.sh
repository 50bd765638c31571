#!/bin/sh
# The first process of the Postgres image: makes the data folder at the first start, then becomes postgres.
# It makes a data folder in a sibling and renames it when it is complete, so that a start that was killed begins again.
# The image contains only sh, mv and rm.
set -eu
umask 077
user=${POSTGRES_USER:-postgres}
database=${POSTGRES_DB:-$user}
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  if [ ! -s "${POSTGRES_PASSWORD_FILE:-}" ]; then
    echo 'start-postgres: POSTGRES_PASSWORD_FILE must name a file with the password of the superuser' >&2
    exit 1
  fi
  new=$PGDATA.new
  rm -rf "$new"
  initdb --pgdata="$new" --username="$user" --pwfile="$POSTGRES_PASSWORD_FILE" --auth-local=scram-sha-256 \
    --auth-host=scram-sha-256 --encoding=UTF8 --locale=C --data-checksums --no-instructions
  # Other machines connect with TLS only.
  echo 'hostssl all all all scram-sha-256' >>"$new/pg_hba.conf"
  if [ "$database" != postgres ]; then
    # In single-user mode a statement ends with its line. A quote in the name is not doubled: it is the chart's name.
    echo "CREATE DATABASE \"$database\"" | postgres --single -D "$new" postgres
  fi
  mv "$new" "$PGDATA"
fi
# The files of one major version are not those of another.
read -r made <"$PGDATA/PG_VERSION"
major=$(postgres --version)
major=${major#*) }
major=${major%%[!0-9]*}
if [ "$made" != "$major" ]; then
  echo "start-postgres: the data in $PGDATA is of PostgreSQL $made, and this image has PostgreSQL $major." \
    "Nothing was changed. Use an image with PostgreSQL $made, dump the database there (pg_dump)," \
    "and restore it into an empty volume of this image" >&2
  exit 1
fi
exec postgres -D "$PGDATA" -c listen_addresses='*' -c unix_socket_directories=/tmp "$@"
