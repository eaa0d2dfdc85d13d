-- Run this on a database that went back to an earlier moment, before a service starts on it (docs/backup.md):
--
--   psql "$DATABASE_URL" -v ON_ERROR_STOP=1 -f postgres-restored.sql     # and -v schema=<name>, if it is not savepoint
--
-- Since that moment players have gone on with their sessions, of which the database knows an end that may be past by now. A
-- token lasts for 30 days after its player was last seen, and says so itself: no session may end sooner than the latest of them.
-- Until PostgreSQL is through its log it can be read only, and this waits.
DO $$ BEGIN WHILE pg_is_in_recovery() LOOP PERFORM pg_sleep(1); END LOOP; END $$;
\if :{?schema} \else \set schema savepoint \endif
UPDATE :schema.sessions
  SET expires_at = greatest(expires_at, CAST(extract(epoch FROM now()) * 1000 AS bigint) + 30 * CAST(86400000 AS bigint));
