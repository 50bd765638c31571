// Random updates, evaluated by the service's functions and by a model that is written from the RFC.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMessage } from '#dns/message/message.ts';
import { type ParsedRecord, parseRecord } from '#dns/record.ts';
import type { RecordType } from '#dns/types/index.ts';
import { numberOfType } from '#dns/types/numbers.ts';
import { evaluate, type UpdateRrset } from '#dns/update/apply.ts';
import { isFlaw, readUpdate } from '#dns/update/read.ts';
import { octetsOfRdata } from '#dns/wire/canonical-rdata.ts';
import { change, type Entry, updateMessage, when } from '../../../support/doors/dns-update/message.ts';
import { effort } from '../../../support/runner/seed.ts';
import { type Lines, modelChange, modelPrerequisites } from './zone-model.support.ts';

const APEX = 'example.com';
const NAMESERVERS = ['ns1.service.test', 'ns2.service.test'];
const SOA = 'ns1.service.test. hostmaster.service.test. 7 10800 3600 604800 60';
const DEFAULT_TTL = 3_600;

// The most likely name has many records, so that a prerequisite can be about a part of an RRset.
const name = fc.constantFrom(`a.${APEX}`, `a.${APEX}`, `a.${APEX}`, `b.${APEX}`, `*.${APEX}`, APEX);
const value = fc.constantFrom<[Exclude<RecordType, 'ALIAS'>, string]>(
  ['A', '192.0.2.1'],
  ['A', '192.0.2.2'],
  ['A', '192.0.2.3'],
  ['A', '192.0.2.1'],
  ['A', '192.0.2.2'],
  ['AAAA', '2001:db8::1'],
  ['TXT', '"one" "two"'],
  ['TXT', '"three"'],
  ['CNAME', 'target.example.net.'],
  ['CNAME', 'other.example.net.'],
  ['DNAME', 'tree.example.net.'],
  ['DNAME', 'wood.example.net.'],
  ['MX', '10 mail.example.net.'],
  ['DHCID', 'AAIBY2/AuCccgoJbsaxcQc9TUapptP69lOjxfNuVAA2kjEA='],
  ['TYPE65280', '\\# 2 0102'],
);
const ttl = fc.constantFrom(0, 29, 30, 60, 300, 86_401, 2 ** 31 - 1);

const additions = fc.tuple(name, ttl, value).filter(([at, , [type]]) => canHave(at, type));
const stored = fc.array(additions, { maxLength: 8 });
const prerequisite = fc.oneof(
  name.map(when.used),
  name.map(when.unused),
  fc.tuple(name, value).map(([at, [type]]) => when.exists(at, type)),
  fc.tuple(name, value).map(([at, [type]]) => when.absent(at, type)),
  fc.tuple(name, value).map(([at, [type, text]]) => when.is(at, type, text)),
);
const changes = fc.oneof(
  additions.map(([at, seconds, [type, text]]) => change.add(at, seconds, type, text)),
  fc.tuple(name, value).map(([at, [type]]) => change.deleteRrset(at, type)),
  fc.tuple(name, value).map(([at, [type, text]]) => change.delete(at, type, text)),
  name.map(change.deleteName),
);

test('random updates fail at the same prerequisite as the model, or leave the same zone', () => {
  fc.assert(
    fc.property(
      stored,
      fc.array(prerequisite, { maxLength: 3 }),
      fc.array(changes, { maxLength: 8 }),
      (before, prerequisites, all) => {
        const zone = zoneOf(before);
        const model = modelOf(zone);
        const rcode = modelPrerequisites(model, prerequisites);
        const result = run(zone, prerequisites, all);
        if (rcode !== 'NOERROR') {
          expect(result).toMatchObject({ kind: 'unmet', rcode });
          return;
        }
        for (const each of all) modelChange(model, APEX, each);
        if (result.kind !== 'rrsets') throw new Error(result.text);
        for (const rrset of result.rrsets) zone.set(`${rrset.name} ${rrset.type}`, rrset);
        expect(modelOf(zone)).toEqual(new Map([...model].sort()));
      },
    ),
    { numRuns: effort(3_000, 600) },
  );
});

function canHave(at: string, type: string): boolean {
  return !(type === 'CNAME' && at === APEX) && !(type === 'DNAME' && at.startsWith('*'));
}

type Zone = Map<string, UpdateRrset>;

/** The zone after these additions, without clashes. */
function zoneOf(additions: readonly (readonly [string, number, readonly [string, string]])[]): Zone {
  const zone: Zone = new Map();
  for (const [at, , [type, text]] of additions) {
    const relative = at === APEX ? '@' : at.slice(0, -APEX.length - 1);
    const others = [...zone.values()].filter((each) => each.name === relative && each.records.length > 0);
    if (others.some((each) => each.type === 'CNAME') || (others.length > 0 && ['CNAME', 'DNAME'].includes(type)))
      continue;
    const key = `${relative} ${type}`;
    const records = zone.get(key)?.records ?? [];
    const record = recordOf(at, type, text, relative === 'b' ? null : 300);
    if (records.some(({ rdata }) => rdata === record.rdata)) continue;
    zone.set(key, { name: relative, type: type as RecordType, records: [...records, record] });
  }
  return zone;
}

function recordOf(at: string, type: string, text: string, ttl: number | null): ParsedRecord {
  const [, priority, host] = (type === 'MX' && /^([0-9]+) (.+)$/.exec(text)) || [];
  const input = {
    name: `${at}.`,
    type,
    content: host ?? text,
    priority: priority === undefined ? null : Number(priority),
    ttl,
  };
  const parsed = parseRecord(input, APEX);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return parsed.value;
}

function modelOf(zone: Zone): Lines {
  const own: [string, number][] = [
    [`${APEX}|${numberOfType('SOA')}|own`, 0],
    ...NAMESERVERS.map((host): [string, number] => [
      `${APEX}|${numberOfType('NS')}|${Buffer.from(octetsOfRdata('NS', `${host}.`)).toString('hex')}`,
      0,
    ]),
  ];
  const lines = [...zone.values()].flatMap(({ name: relative, type, records }) =>
    records.map(({ wire, ttl: seconds }): [string, number] => [
      `${relative === '@' ? APEX : `${relative}.${APEX}`}|${numberOfType(type as 'A')}|${Buffer.from(wire).toString('hex')}`,
      seconds ?? DEFAULT_TTL,
    ]),
  );
  return new Map([...own, ...lines].sort());
}

function run(zone: Zone, prerequisites: readonly Entry[], all: readonly Entry[]) {
  const message = readMessage(updateMessage({ zone: APEX, prerequisites, changes: all }));
  const update = readUpdate(message, { labels: APEX.split('.'), name: APEX });
  if (isFlaw(update)) throw new Error(update.text);
  const at = (relative: string) =>
    [...zone.values()].filter((each) => each.name === relative && each.records.length > 0);
  return evaluate(update, { defaultTtl: DEFAULT_TTL, at, soa: SOA, nameservers: NAMESERVERS });
}
