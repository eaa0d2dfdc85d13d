/** What must never be found in the tables, whoever came across whom. Each gives rows where it is. */
export const disorders = {
  'a link of an account that is not there': `
    SELECT link_hash FROM @links l WHERE NOT EXISTS (SELECT 1 FROM @accounts a WHERE a.account_id = l.account_id)`,
  'an account that does not know its link': `
    SELECT account_id FROM @links GROUP BY account_id
      HAVING count(*) <> (SELECT count(*) FROM @account_links k WHERE k.account_id = @links.account_id)`,
  'a link that only its account knows': `
    SELECT account_id FROM @account_links k WHERE NOT EXISTS (SELECT 1 FROM @links l WHERE l.account_id = k.account_id)`,
  'a subject with two owners': `
    SELECT method, subject FROM @account_links GROUP BY game_id, environment, method, subject HAVING count(*) > 1`,
  'an account with two names': `
    SELECT account_id FROM @account_links WHERE method <> 'device' GROUP BY account_id, method HAVING count(*) > 1`,
  'a link with two revisions': `
    SELECT l.link_hash FROM @links l WHERE NOT EXISTS (SELECT 1 FROM @account_links k
      WHERE k.account_id = l.account_id AND k.revision = l.revision)`,
  'a session of an account that nothing leads to': `
    SELECT session_id FROM @sessions s JOIN @accounts a USING (account_id) WHERE a.orphaned_at IS NOT NULL`,
  'an account that nothing leads to, and that is not orphaned': `
    SELECT account_id FROM @accounts a WHERE orphaned_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM @account_links k WHERE k.account_id = a.account_id)`,
  'an orphaned account that something leads to': `
    SELECT account_id FROM @accounts a WHERE orphaned_at IS NOT NULL
      AND EXISTS (SELECT 1 FROM @account_links k WHERE k.account_id = a.account_id)`,
};
