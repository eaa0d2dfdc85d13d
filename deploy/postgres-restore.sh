#!/bin/sh
# Makes a PostgreSQL data folder as the database was at one moment, out of a base backup and the archived log.
# docs/backup.md says how both are kept. It touches nothing but the new folder, and starts nothing.
#
#   postgres-restore.sh <base backup> <archived log> <new data folder> '<2026-11-22 10:00:00+00>'
#
# Run it as PostgreSQL's own user. Exit codes: 0 when the folder is ready, 2 for what can be set right.
set -eu

fail() {
  echo "postgres-restore.sh: $1" >&2
  exit 2
}

[ $# -eq 4 ] || fail "give a base backup, the folder of the archived log, a new folder, and a moment (see its head)"
base=$1 log=$2 data=$3 moment=$4

[ -f "$base/backup_label" ] || fail "$base is no base backup (it has no backup_label): make one with pg_basebackup"
[ -d "$log" ] || fail "there is no folder $log"
[ ! -e "$data" ] || fail "$data is there already, and nothing is written over it"
# Without a zone, PostgreSQL would take its own.
case $moment in
*[0-9]Z | *[+-][0-9][0-9] | *[+-][0-9][0-9]:[0-9][0-9]) ;;
*) fail "the moment needs a time zone, such as 2026-11-22 10:00:00+00" ;;
esac
case $log$moment in
*\'* | *\"* | *%* | *'\'*) fail "paths and the moment must not have quotes, % or a backslash" ;;
esac
# PostgreSQL runs the command from its own folder.
log=$(cd "$log" && pwd)

cp -R "$base" "$data"
chmod 700 "$data"
# What was under way when the base backup was made is in the archive as well.
rm -rf "$data"/pg_wal/* "$data/standby.signal" "$data/postmaster.pid"
cat >>"$data/postgresql.auto.conf" <<CONFIGURATION
restore_command = 'cp "$log/%f" "%p"'
recovery_target_time = '$moment'
recovery_target_action = 'promote'
CONFIGURATION
: >"$data/recovery.signal"

echo "$data will be the database as it was at $moment. Start PostgreSQL on it, run postgres-restored.sql, and start the service."
