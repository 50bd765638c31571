// A zone as a source has it: the text of a zone file, and where each line comes from. Every source writes its records
// as such lines, so that one reader judges them all. Pure.
import { parseTtlText } from '#dns/ttl-text.ts';
import { clip } from '#dns/verdict.ts';
import { lineSteps } from '#dns/zonefile/lexer.ts';

export interface SourceZone {
  /** The source in the words of the user: a path or an address. */
  from: string;
  /** Canonical. */
  zone: string;
  /** A zone file. The first line is empty if there are places. */
  text: string;
  /**
   * The place of each line, from the first. With places, a line without a TTL has the default of the zone. (Default:
   * the line itself.)
   */
  places?: readonly string[];
  /** Comments for people, by the number of the line. */
  comments?: ReadonlyMap<number, string>;
  /** Remarks for people, by the number of the line. */
  notes?: ReadonlyMap<number, string>;
  /** Records that the source itself cannot express as a line. */
  problems?: readonly SourceProblem[];
  /** Whether the text alone says which zone it is. (Default: the user or the question does.) */
  isNamedByText?: boolean;
  /** TTLs of 1 mean "automatic" at Cloudflare. (Default: false.) */
  isCloudflare?: boolean;
}

export interface SourceProblem {
  place: string;
  /** `skipped`: the zone is complete without it. `unsupported`: --skip-unsupported omits it. */
  kind: 'skipped' | 'unsupported' | 'broken';
  /** A sentence that says what is wrong and what would be accepted. */
  message: string;
}

/** One record in the words of a zone file. */
export interface SourceRecord {
  place: string;
  /** Relative to the zone, `@` for the apex, or absolute with final dot. */
  name: string;
  type: string;
  /** Seconds, or another form that a zone file accepts. Null: the default of the zone. */
  ttl: string | number | null;
  /** Names in it are absolute with a final dot, or relative to the zone. */
  rdata: string;
  comment?: string | undefined;
  note?: string | undefined;
}

const WORD = /^[^\s"();]+$/;

/** The lines of a source: more than the records of the largest zone that the service takes, with their signatures. */
export const MAX_LINES = 500_000;
/** The characters of all lines: one value may be in many of them. */
const MAX_CHARACTERS = 64 * 1024 * 1024;

/** Collects records as the lines of a zone file. @param from the source, for errors */
export function createLines(from: string) {
  let characters = 0;
  const lines = [''];
  const places = [''];
  const comments = new Map<number, string>();
  const notes = new Map<number, string>();
  const problems: SourceProblem[] = [];
  const bound = (text: string) => {
    characters += text.length;
    if (lines.length + problems.length > MAX_LINES) throw new Error(`${from}: it has more than ${MAX_LINES} records`);
    if (characters > MAX_CHARACTERS) throw new Error(`${from}: its records have more than 64 MiB`);
  };
  return {
    /** @throws Error if the source has too many records */
    add(record: SourceRecord): void {
      const flaw = findFlaw(record);
      if (flaw !== null) {
        this.refuse(record.place, flaw);
        return;
      }
      const { name, type, ttl, rdata, place, comment, note } = record;
      const line = [name, ...(ttl === null ? [] : [ttl]), 'IN', type, rdata].join('\t');
      bound(line);
      lines.push(line);
      places.push(place);
      if (comment) comments.set(lines.length, comment);
      if (note !== undefined) notes.set(lines.length, note);
    },
    /** @throws Error if the source has too many records */
    refuse(place: string, message: string, kind: SourceProblem['kind'] = 'broken'): void {
      bound(message);
      problems.push({ place, kind, message });
    },
    zone(zone: string): SourceZone {
      return { from, zone, text: `${lines.join('\n')}\n`, places, comments, notes, problems };
    },
  };
}

/** The reason why the line would be read as another record; null if there is none. */
function findFlaw({ name, type, ttl, rdata }: SourceRecord): string | null {
  if (name === '') return 'name: The name is empty; write "@" for the zone itself.';
  if (!WORD.test(name) || name.startsWith('$')) return `name: ${clip(name)} is not a name of the DNS.`;
  if (type === '') return 'type: There is no record type.';
  if (!/^[a-z0-9-]{1,20}$/i.test(type)) return `type: ${clip(type)} is not a record type.`;
  if (ttl !== null && parseTtlText(String(ttl)) === null)
    return `ttl: ${clip(String(ttl))} is not a number of seconds; leave it empty for the default of the zone.`;
  // A comment, a parenthesis or a line break in a value would cut the value.
  if (rdata.includes('\n') || !isWhole(`x IN X ${rdata}`))
    return `content: ${clip(rdata)} has ";", a parenthesis or an open quote outside of quotes; write text in quotes.`;
  return null;
}

/** Whether the reader of zone files reads the line to its end. */
function isWhole(line: string): boolean {
  // A word after the value arrives only if nothing before it is a comment, and the line ends only without open
  // parentheses.
  const [read, ...more] = [...lineSteps(`${line} end\n`)].filter((each) => each !== null);
  if (read === undefined || more.length > 0 || 'message' in read) return false;
  return read.words.at(-1)?.text === 'end' && !/[()]/.test(line.replace(/"(?:[^"\\]|\\.)*"|\\./g, ''));
}

/** A text of TXT in quotes, in strings of at most 255 octets; a text that is in quotes already stays as it is. */
export function quotedText(text: string): string {
  if (/^"(?:[^"\\]|\\.)*"(?:\s+"(?:[^"\\]|\\.)*")*$/s.test(text)) return text;
  const octets = [...Buffer.from(text, 'utf8')].map(escapedOctet);
  const strings = Array.from({ length: Math.max(1, Math.ceil(octets.length / 255)) }, (_, at) =>
    octets.slice(at * 255, (at + 1) * 255).join(''),
  );
  return strings.map((string) => `"${string}"`).join(' ');
}

function escapedOctet(octet: number): string {
  const character = String.fromCharCode(octet);
  if (character === '"' || character === '\\') return `\\${character}`;
  return octet >= 0x20 && octet < 0x7f ? character : `\\${String(octet).padStart(3, '0')}`;
}

/** A host of a provider's list as a zone file has it: with a dot inside it is absolute, as all such lists mean it. */
export function absoluteHost(host: string): string {
  return host.includes('.') && !host.endsWith('.') ? `${host}.` : host;
}
