// Zone files and zones that are designed to cost a service as much memory or time as possible, for attacks on a real
// process.
import type { Sql } from 'postgres';

const lines = (count: number, line: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i)).join('\n');
const MIB = 2 ** 20;
/** Every octet as `\DDD`, in strings of 255: the longest content of a record, which is kept as it was sent. */
const ESCAPED = Array(250)
  .fill(`"${'\\097'.repeat(255)}"`)
  .join(' ');

/** Each file is below the limit of 8 MiB. */
export const HOSTILE_FILES: Readonly<Record<string, () => string>> = {
  'words without end': () => `c TXT ( ${'"" '.repeat(2.65 * MIB)})\n`,
  'the most words a record may have, 40 times': () => lines(40, (i) => `c${i} TXT ( ${'"" '.repeat(63_999 - i)})`),
  'the longest texts': () => lines(31, (i) => `c${i} TXT ${ESCAPED}`),
  'octets that grow fourfold': () => lines(130, (i) => `c${i} TXT "${'\u00e9'.repeat(31_700)}"`),
  '100,000 NS at one name': () => lines(100_000, (i) => `x NS n${i}`),
  '1,900 NS above 97,000 children': () =>
    `${lines(1_900, (i) => `x NS n${i}`)}\n${lines(97_000, (i) => `h${i}.x A 192.0.2.1`)}`,
  '100,000 links of a chain': () => lines(100_000, (i) => `c${i} CNAME c${i + 1}`),
  '100,000 MX at one name': () => lines(100_000, (i) => `x MX ${i % 65_536} m${i}`),
  'names of 115 labels below 100 cuts': () => {
    const deep = Array(110).fill('a').join('.');
    return `${lines(100, (i) => `${deep.slice(0, 2 * i + 1)} NS ns.example.net.`)}\n$ORIGIN ${deep}\n${lines(99_000, (i) => `h${i} A 192.0.2.1`)}`;
  },
  'names in Unicode': () => lines(90_000, (i) => `\u00fc${i}.\u00e9.\u00f6 A 192.0.2.1`),
};

export const PLAIN_FILE = () => lines(100_000, (i) => `h${i} A 10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);

/** Gives a zone records of the largest content, and the history of their creation. 300 of them are 96 MB as JSON. */
export async function fillWithLargeRecords(sql: Sql, zoneId: string, count: number): Promise<void> {
  await sql`
    insert into records (id, zone_no, name, ordername, type, content, rdata, digest, created_at)
    select ${zoneId} || '_' || i, z.no, 't' || i, 't' || i, 'TXT', ${ESCAPED}, ${ESCAPED}, sha256(convert_to(i::text, 'UTF8')), now()
    from zones z, generate_series(1, ${count}::integer) i where z.id = ${zoneId}`;
  await sql`
    insert into changes (zone_id, zone_name, team_id, user_id, key_id, action, before, after, serial, request_id)
    select z.id, z.name, z.team_id, z.user_id, 'bench', 'record.create', null,
      jsonb_build_object('id', r.id, 'name', r.name, 'type', r.type, 'content', r.content, 'ttl', 300, 'priority', null), z.serial, 'bench'
    from zones z join records r on r.zone_no = z.no where z.id = ${zoneId}`;
}
