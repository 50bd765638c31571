// Trusts on the screen: the same for the commands over the REST API and for those over the database.
import { judgeLifetime } from '#base/lifetime.ts';
import { printFields } from '../output.ts';
import { formatMinute, table } from '../table.ts';

interface ListedTrust {
  readonly name: string;
  readonly issuer: string;
  readonly match: object;
  readonly subjects: number;
  readonly lastUsedAt: string | null;
}

export const TRUST_COLUMNS = ['NAME', 'ISSUER', 'MATCH', 'STATE', 'SUBJECTS', 'LAST USE'];

/** The cells below these columns. */
export function buildTrustCells(trust: ListedTrust & Parameters<typeof judgeLifetime>[0], now: Date): string[] {
  return [
    trust.name,
    trust.issuer,
    JSON.stringify(trust.match),
    judgeLifetime(trust, now),
    String(trust.subjects),
    formatMinute(trust.lastUsedAt),
  ];
}

interface KnownSubject {
  readonly subject: string;
  readonly keyId: string;
  readonly lastUsedAt: string | null;
  readonly pinnedUid: string | null;
}

/** Prints a trust with the last use of each of its subjects. */
export function printTrust(trust: object, subjects: readonly KnownSubject[], print: (line: string) => void): void {
  printFields(trust, print);
  print('');
  const rows = subjects.map((each) => [each.subject, each.keyId, formatMinute(each.lastUsedAt), each.pinnedUid ?? '-']);
  table(['SUBJECT', 'ID', 'LAST USE', 'UID'], rows, print);
}
