// Zone files of people: read from a file or from standard input, checked with the rules of the service, and compared
// with a zone.
import { fetchRecords, fetchZones } from '#client/lists.ts';
import type { DnsRecord } from '#contract/record.ts';
import type { Zone } from '#contract/zone.ts';
import type { ParsedRecord } from '#dns/record.ts';
import { zoneCheckSteps } from '#dns/rules/zone-check.ts';
import { finishInTurns } from '#dns/steps.ts';
import { type LineProblem, zoneFileSteps } from '#dns/zonefile/read.ts';
import { changedPlaces, listDifferences, type SetDifference } from '../difference.ts';
import { type Session, zoneOf } from './session.ts';
import { parsedRecords } from './stored-records.ts';

/** The number of wrong lines that an error lists. */
const LINES_SHOWN = 20;

/** Whether a text is YAML or JSON of Kubernetes objects, and not a zone file. */
export function isManifest(text: string): boolean {
  return /^[ \t{]*(?:"?apiVersion"?|"?kind"?)\s*:/m.test(text);
}

/** The name of the zone: as given, or that of the first $ORIGIN of the file. @throws Error if there is neither */
function zoneNameOf(text: string, given: string | undefined): string {
  const origin = /^[ \t]*\$ORIGIN[ \t]+([^\s;]+?)\.?[ \t]*\r?(?:;.*)?$/im.exec(text)?.[1];
  const name = given ?? origin;
  if (name !== undefined) return name;
  throw new Error(
    'the file does not say which zone it is: begin it with a line "$ORIGIN example.org.", or give --zone',
  );
}

export interface ComparedFile {
  zone: Zone;
  differences: SetDifference[];
  /** The stored records that the file changes or does not have, with their owners. */
  touched: DnsRecord[];
  /** The ETag of the records that the file was compared with; undefined: the service sent none. */
  etag: string | undefined;
  /** Lines about records that the service makes itself. */
  ignored: number;
}

/** @throws Error with the numbers of wrong lines, and if the API key cannot see the zone */
export async function compareFile(session: Session, text: string, given: string | undefined): Promise<ComparedFile> {
  const { client, signal } = session;
  const zone = await zoneOf(session, zoneNameOf(text, given));
  const below = (await fetchZones(client, {}, { signal })).filter(({ zoneName }) =>
    zoneName.endsWith(`.${zone.zoneName}`),
  );
  const { wanted, ignored } = await readZoneFile(text, zone, below, signal);
  let etag: string | undefined;
  const onEtag = (given: string | null) => {
    etag ??= given ?? undefined;
  };
  const records = await fetchRecords(client, zone.id, { owners: true }, { signal, onEtag });
  const stored = parsedRecords(zone, records);
  const changed = changedPlaces(stored, wanted, zone.defaultTtl);
  const differences = listDifferences(stored, wanted, zone.defaultTtl);
  return { zone, ignored, etag, differences, touched: records.filter((_, at) => changed.has(at)) };
}

interface ZoneFacts {
  readonly zoneName: string;
  readonly defaultTtl: number;
}

/**
 * @param below the zones below this one at the service, which makes their NS and DS records itself
 * @throws Error with the numbers of wrong lines
 */
export async function readZoneFile(
  text: string,
  { zoneName, defaultTtl }: ZoneFacts,
  below: readonly { id: string; zoneName: string }[],
  signal?: AbortSignal,
): Promise<{ wanted: ParsedRecord[]; ignored: number }> {
  const children = new Set(below.map((child) => child.zoneName));
  const { records, problems, ignoredLines, repeated } = await finishInTurns(
    zoneFileSteps(text, { zone: zoneName, defaultTtl, children }),
    signal,
  );
  if (problems.length > 0) throw wrongLines(problems);
  const named = below.map(({ id, zoneName: name }) => ({ id, name }));
  const broken = await finishInTurns(zoneCheckSteps(records, zoneName, named), signal);
  if (broken.length > 0) throw wrongLines(broken);
  return { wanted: records.map(({ record }) => record), ignored: ignoredLines.length + repeated.length };
}

function wrongLines(problems: readonly LineProblem[]): Error {
  const lines = problems.slice(0, LINES_SHOWN).map(({ line, message }) => `  line ${line}: ${message}`);
  const more = problems.length > LINES_SHOWN ? [`  and ${problems.length - LINES_SHOWN} more`] : [];
  return new Error(['the zone file has wrong lines:', ...lines, ...more].join('\n'));
}
