// Random operations, as data that fast-check can make smaller: everything is an index or a name out of a small pool, so
// that names collide, and what an index means is decided when the operation is done.
import fc from 'fast-check';
import { BAD, type Content, GOOD, type Type } from './contents.ts';

/** Zone names, `%` being the family's own: no two operations of one family meet those of another one. */
export const ZONES = ['%', 'kid.%', 'deep.kid.%', 'far.b.%', 'x.a.%'] as const;

export const NAMES = [
  '@',
  'a',
  'b',
  'www',
  'x.a',
  'y.x.a',
  '*',
  '*.a',
  '*.b',
  'kid',
  'www.kid',
  'sub',
  'ns.sub',
  'x.ns.sub',
  'far.b',
  '_sip._tcp',
  '_443._tcp',
  '_443._tcp.a',
  '*._tcp',
] as const;

/** Spelled otherwise, but the same name; and names that no record may have. */
const SPELLED: Readonly<Record<string, string>> = { www: 'WWW', a: 'A', 'x.a': 'X.a' };
const WRONG_NAMES = ['', '.', 'a..b', 'x.*.a', 'a b', '-a.b'.repeat(80)];

/** As it is sent; undefined: the field is absent. */
export type SentComment = string | null | undefined;

export type Edit =
  | {
      do: 'create';
      name: string;
      content: Pick<Content, 'type' | 'sent'>;
      ttl: number | null;
      comment: SentComment;
      wrong: boolean;
    }
  | { do: 'update'; pick: number; content: number; type: 'same' | Type; ttl: number | null; comment: SentComment }
  | { do: 'delete'; pick: number };

export type Operation = { zone: number } & (
  | { do: 'zone.create' | 'zone.delete' | 'park' | 'unpark' }
  | { do: 'zone.ttl'; ttl: number }
  | { do: 'zone.comment'; comment: string | null }
  | Edit
  | { do: 'batch'; atomic: boolean; edits: Edit[] }
  | { do: 'import'; keep: number[]; add: Extract<Edit, { do: 'create' }>[] }
  | { do: 'look'; name: string; type: string }
);

const ttl = fc.option(fc.constantFrom(60, 300), { nil: null, freq: 2 });
const comment = fc.constantFrom<SentComment>(undefined, undefined, undefined, null, '', ' the web server ', 'Zoë: <b>');
const good = fc.constantFrom(...GOOD);
const name = fc.constantFrom(...NAMES);
const spelled = fc.oneof(
  { weight: 6, arbitrary: name },
  { weight: 1, arbitrary: fc.constantFrom(...Object.values(SPELLED)) },
);
/** A creation, of which each mistake has something else. */
const wrongCreate = {
  do: fc.constant('create' as const),
  name,
  content: good,
  ttl,
  comment,
  wrong: fc.constant(true),
};
const create = fc.record({ ...wrongCreate, name: spelled, wrong: fc.constant(false) });
const mistake = fc.oneof(
  fc.record({ ...wrongCreate, content: fc.constantFrom(...BAD) }),
  fc.record({ ...wrongCreate, name: fc.constantFrom(...WRONG_NAMES) }),
  fc.record({ ...wrongCreate, ttl: fc.constantFrom(29, 86_401, 60.5) }),
  fc.record({ ...wrongCreate, comment: fc.constantFrom('two\nlines', 'x'.repeat(501)) }),
);
const update = fc.record({
  do: fc.constant('update' as const),
  pick: fc.nat(200),
  content: fc.nat(50),
  type: fc.oneof({ weight: 9, arbitrary: fc.constant('same' as const) }, fc.constantFrom<Type>('A', 'TXT', 'NS')),
  ttl,
  comment,
});
const remove = fc.record({ do: fc.constant('delete' as const), pick: fc.nat(200) });
const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 12, arbitrary: create },
  { weight: 1, arbitrary: mistake },
  { weight: 5, arbitrary: update },
  { weight: 5, arbitrary: remove },
);
/** Every type, and lines that a zone file and a batch may contain in addition to existing records. */
const type = fc.constantFrom('A', 'AAAA', 'CAA', 'CNAME', 'DS', 'HTTPS', 'MX', 'NS', 'PTR', 'SRV', 'TLSA', 'TXT');
const lookName = fc.oneof(
  name,
  fc.constantFrom('nope', 'q.r.a', 'q.b', 'z.sub', 'nope.kid', '_tcp', 'deep.kid', 'q._tcp'),
);
const body = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('zone.create' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('zone.delete' as const, 'park' as const, 'unpark' as const) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('zone.ttl' as const), ttl: fc.constantFrom(3600, 7200) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('zone.comment' as const), comment: fc.constantFrom(null, 'a zone', '') }),
  },
  { weight: 70, arbitrary: edit },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('batch' as const),
      atomic: fc.boolean(),
      edits: fc.array(edit, { minLength: 1, maxLength: 12 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('import' as const),
      keep: fc.array(fc.nat(200)),
      add: fc.array(create, { maxLength: 4 }),
    }),
  },
  { weight: 13, arbitrary: fc.record({ do: fc.constant('look' as const), name: lookName, type }) },
);
const zone = fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, { weight: 4, arbitrary: fc.nat(ZONES.length - 1) });

export const operation: fc.Arbitrary<Operation> = fc.tuple(zone, body).map(([at, what]) => ({ zone: at, ...what }));

/** The stored form of a spelling. */
export function stored(spelling: string): string {
  return spelling.toLowerCase();
}
