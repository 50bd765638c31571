// Says what DNS must hold because of one DNSRecord or one record that another client made, in the test's own words. The
// specs of these tests spell types and contents as DNS does, so that nothing is translated. Uses nothing of the
// product.
export interface WantedRecord {
  readonly name: string;
  readonly type: string;
  readonly content: string;
  readonly ttl: number;
}

interface Spec {
  readonly name: string;
  readonly type: string;
  readonly ttl?: number | undefined;
  readonly content?: string | undefined;
  readonly values?: readonly { readonly content?: string | undefined; readonly ttl?: number | undefined }[] | undefined;
}

/** The default TTL of a zone that names none, in seconds. */
const DEFAULT_TTL = 3600;

/** The contents that are the same text in a spec, at the service and in this model. */
const PLAIN: Readonly<Record<string, RegExp>> = { A: /^192\.0\.2\.\d+$/, MX: /^\.$/, TXT: /^[a-z0-9=. -]+$/ };

/** Names of DNS have no case (RFC 4343). @throws for a spec that this does not understand */
export function listWanted(spec: Spec, zone: { readonly defaultTtl?: number | undefined }): WantedRecord[] {
  const { type, ttl = zone.defaultTtl ?? DEFAULT_TTL } = spec;
  const name = spec.name.toLowerCase();
  const values = spec.values ?? [{ content: spec.content }];
  return values.map(({ content = '' }) => {
    if (!PLAIN[type]?.test(content)) throw new Error(`no words for ${type} records with the content ${content}`);
    return { name, type, content, ttl };
  });
}

/** One line a record, sorted: two lists of records are the same when their lines are. */
export function formatWanted(records: readonly WantedRecord[]): string {
  return records
    .map(({ name, type, content, ttl }) => `${name} ${ttl} ${type} ${content}`)
    .sort()
    .join(', ');
}

/**
 * The expected answers of DNS, by question `name type`: all contents of an RRset with its lowest TTL (RFC 2181 section
 * 5.2).
 */
export function groupAnswers(zoneName: string, records: readonly WantedRecord[]): Map<string, string[]> {
  const sets = new Map<string, WantedRecord[]>();
  for (const record of records) {
    const question = `${record.name}.${zoneName} ${record.type}`;
    sets.set(question, [...(sets.get(question) ?? []), record]);
  }
  return new Map(
    [...sets].map(([question, set]) => {
      const ttl = Math.min(...set.map((each) => each.ttl));
      const [name, type] = question.split(' ');
      return [question, set.map(({ content }) => `${name} ${ttl} ${type} ${content}`).sort()];
    }),
  );
}
