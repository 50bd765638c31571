// CSV exports of providers: one record in each row, below a row with the names of the columns. Pure.
import { CsvError, parse } from 'csv-parse/sync';
import { parseZoneName } from '#dns/names/name.ts';
import { absoluteHost, createLines, quotedText, type SourceZone } from '../source.ts';

/** The names that providers give to their columns, in lower case; blanks, hyphens and underscores do not matter. */
const COLUMNS = {
  name: ['name', 'host', 'hostname', 'record', 'record name', 'owner', 'label', 'fqdn', 'subdomain'],
  type: ['type', 'record type'],
  ttl: ['ttl', 'ttl seconds'],
  content: ['content', 'value', 'data', 'rdata', 'target', 'answer', 'record value', 'points to', 'destination'],
  priority: ['priority', 'prio', 'pref', 'preference', 'mx level', 'mx priority', 'aux'],
  weight: ['weight'],
  port: ['port'],
  comment: ['comment', 'comments', 'note', 'notes', 'description'],
} as const;
type Column = keyof typeof COLUMNS;
const CSV_COLUMNS = Object.keys(COLUMNS) as Column[];

/** The longest row in characters: more than the longest record. */
const MAX_ROW = 300_000;

type Header = Partial<Record<Column, number>>;

interface Row {
  record: string[];
  info: { lines: number };
}

interface CsvOptions {
  zone: string;
  /** The names of columns in this file, for instance { name: 'Hostname' }. */
  columns?: Readonly<Record<string, string>>;
}

/** @throws Error if the file has no rows, or a column is missing */
export function readCsv(from: string, text: string, { zone, columns = {} }: CsvOptions): SourceZone {
  const parsed = parseZoneName(zone);
  if (!parsed.ok) throw new Error(`${from}: ${parsed.problem.message}`);
  const lines = createLines(from);
  const rows = parseRows(from, text, (place, message) => lines.refuse(place, message));
  const [first, ...others] = rows;
  if (first === undefined) throw new Error(`${from}: the file is empty; its first row names the columns`);
  const header = readHeader(from, first.record, columns);
  let before = first.info.lines;
  for (const { record, info } of others) {
    // A field in quotes may have several lines, and the parser counts to the last one.
    addRow(lines, `line ${Math.min(before + 1, info.lines)}`, header, record, parsed.value);
    before = info.lines;
  }
  return lines.zone(parsed.value);
}

function parseRows(from: string, text: string, refuse: (place: string, message: string) => void): Row[] {
  const [head = ''] = text.split('\n');
  const delimiter = ['\t', ';', ','].find((each) => head.includes(each)) ?? ',';
  try {
    const options = {
      bom: true,
      delimiter,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_error: true,
      trim: true,
      max_record_size: MAX_ROW,
      on_skip: (error: CsvError | undefined): undefined => {
        if (error !== undefined) refuse(`line ${error.lines ?? '?'}`, `The row is not CSV: ${error.message}.`);
      },
    };
    // The types of the parser do not follow the option "info".
    return parse(text, options) as unknown as Row[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new Error(`${from}: the file is not CSV: ${error.message}`);
  }
}

function readHeader(from: string, names: readonly string[], columns: Readonly<Record<string, string>>): Header {
  const plain = (text: string) => text.toLowerCase().replace(/[\s_()-]/g, '');
  const header: Header = {};
  for (const column of CSV_COLUMNS) {
    const wanted = columns[column];
    const accepted: readonly string[] = (wanted === undefined ? COLUMNS[column] : [wanted]).map(plain);
    const at = accepted.map((each) => names.findIndex((name) => plain(name) === each)).find((each) => each >= 0);
    if (at !== undefined) header[column] = at;
    else if (wanted !== undefined) throw new Error(`${from}: line 1 has no column ${JSON.stringify(wanted)}`);
  }
  for (const column of ['name', 'type', 'content'] as const) {
    if (header[column] !== undefined) continue;
    const shown = JSON.stringify(names.slice(0, 20).join(', ').slice(0, 200));
    throw new Error(
      `${from}: line 1 has no column for the ${column}; it has ${shown}. Accepted names are ${COLUMNS[column].join(', ')}, and --column ${column}=NAME names another one.`,
    );
  }
  return header;
}

type Lines = ReturnType<typeof createLines>;

function addRow(lines: Lines, place: string, header: Header, row: readonly string[], zone: string): void {
  const cell = (column: Column) => (header[column] === undefined ? '' : (row[header[column]] ?? '').trim());
  const type = cell('type').toUpperCase();
  const content = cell('content');
  if (content === '') {
    lines.refuse(place, 'content: The row has no value.');
    return;
  }
  const ttl = cell('ttl').toLowerCase();
  lines.add({
    place,
    name: toOwnerName(cell('name'), zone),
    type,
    ttl: ttl === '' || ttl === 'auto' || ttl === 'automatic' || ttl === 'default' ? null : ttl,
    rdata: buildRdata(type, content, [cell('priority'), cell('weight'), cell('port')]),
    comment: cell('comment'),
  });
}

/** Providers write whole names without a final dot next to relative ones, and nothing or `@` for the zone itself. */
function toOwnerName(name: string, zone: string): string {
  const plain = name.toLowerCase();
  if (plain === '' || plain === '@') return '@';
  return plain === zone || plain.endsWith(`.${zone}`) ? `${name}.` : name;
}

const HOSTS = new Set(['ALIAS', 'ANAME', 'CNAME', 'DNAME', 'NS', 'PTR']);

function buildRdata(type: string, content: string, numbers: readonly [string, string, string]): string {
  const [priority, weight, port] = numbers;
  const words = content.split(/\s+/);
  if (type === 'TXT' || type === 'SPF') return quotedText(content);
  if (HOSTS.has(type)) return absoluteHost(content);
  if (type === 'MX') {
    const [preference, host] = words.length === 2 ? words : [priority || '10', content];
    return `${preference} ${absoluteHost(host ?? '')}`;
  }
  if (type !== 'SRV') return content;
  // Some providers have all four fields in the value, some the priority in its own column, some all in columns.
  const missing = [priority, weight, port].slice(0, Math.max(0, 4 - words.length));
  const fields = [...missing, ...words];
  return [...fields.slice(0, -1), absoluteHost(fields.at(-1) ?? '')].join(' ');
}
