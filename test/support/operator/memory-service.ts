// The REST service in memory, as far as the operator uses it: the rules of src/dns, ids, and Idempotency-Key as the
// service stores it: the stored answer is returned before any other check, also after a deletion; refusals are not
// stored.
import type { Client } from '#client/client.ts';
import { ApiError } from '#client/errors.ts';
import type { CallOptions } from '#client/http.ts';
import type { RecordFilter } from '#client/lists.ts';
import type { DanglingName } from '#contract/dangling.ts';
import { getAccount } from '#contract/operations/account.ts';
import { listDanglingNames } from '#contract/operations/dangling.ts';
import { applyRecords, listOwners } from '#contract/operations/owners.ts';
import { listRecords } from '#contract/operations/records.ts';
import { chooseZoneSecondaries, listSecondaries, listZoneSecondaries } from '#contract/operations/secondaries.ts';
import * as api from '#contract/operations/zones.ts';
import type { DnsRecord, ListedRecord, RecordBody } from '#contract/record.ts';
import type { Zone, ZoneChangeBody, ZoneCreateBody } from '#contract/zone.ts';
import { DEFAULT_DENIAL } from '#dns/dnssec/denial.ts';
import type { RecordHealth } from '#dns/members.ts';
import { listSuffixes, parseOwnerName, parseZoneName } from '#dns/names/name.ts';
import { type ParsedRecord, parseRecord } from '#dns/record.ts';
import { NearbyRecords } from '#dns/rules/nearby-records.ts';
import { judgeWrite } from '#dns/rules/rrset.ts';
import { parseRdata } from '#dns/types/index.ts';
import type { Verdict } from '#dns/verdict.ts';
import { fakeClient, on } from '../service/fake-client.ts';
import { copyDeep } from './copy.ts';
import type { Faults } from './faults.ts';
import { MemoryChecks, replyAboutChecks } from './memory-checks.ts';
import { MemoryKeys, replyAboutKeys } from './memory-keys.ts';
import { MemoryOwners } from './memory-owners.ts';
import { markReverse, type ReverseStates, shownHealth } from './memory-reverse.ts';
import { MemorySecondaries } from './memory-secondaries.ts';

export const TEAM = 'team_1';
export const OWNER = `org:${TEAM}`;

/** A stored record; a null ttl is the zone's default. */
export interface Stored {
  readonly id: string;
  readonly name: string;
  readonly type: DnsRecord['type'];
  readonly content: string;
  readonly ttl: number | null;
  readonly priority: number | null;
  readonly comment?: string | null;
  readonly health?: RecordHealth | null;
}

export interface StoredZone {
  zone: Zone;
  records: Map<string, Stored>;
}

/** Called before each request of the service: an error here is the answer, and nothing else happens. */
export type Gate = (call: string) => Error | null;

const share = { used: 0, limit: 1_000 };
const QUOTA = { zones: share, records: share, bytes: share, keys: share, members: share };

export class MemoryService {
  /** The right on zones of every key. */
  manageZones: 'read' | 'write' = 'write';
  readonly zones = new Map<string, StoredZone>();
  readonly secondaries = new MemorySecondaries();
  readonly checks = new MemoryChecks({
    owner: OWNER,
    addressesOf: (name) => [...this.zones.values()].flatMap(({ records }) => addressesWith(records.values(), name)),
    changed: () => {
      this.version += 1;
    },
    refuse: refused,
  });
  readonly keys = new MemoryKeys(this);
  readonly reverseStates: ReverseStates = new Map();
  /** Ids of records whose clusters are drained. */
  readonly withdrawn = new Set<string>();
  /** Grows with every change. */
  version = 0;
  gate: Gate = () => null;
  readonly client: Client;
  readonly owners = new MemoryOwners({
    judge: (zoneId, body, replacing) => this.#judge(zoneId, body, replacing),
    moved: (zoneId) => this.#moved(zoneId),
    id: () => {
      this.#ids += 1;
      return `rec_${this.#ids}`;
    },
    view: (zoneId, record) => this.#view(zoneId, record),
    hasCheck: (name) => this.checks.definitions.has(name),
  });
  readonly #kept = new Map<string, { request: string; answer: unknown }>();
  readonly #faults: Faults;
  #ids = 0;

  constructor(faults: Faults) {
    this.#faults = faults;
    this.client = this.clientOf(() => null);
  }

  /** The dangling names that lookups have found. */
  readonly dangling: DanglingName[] = [];

  /** Creates a zone of another owner. */
  seedZone(zoneName: string, records: Partial<Stored>[] = []): string {
    const { id } = this.#createZone({ zoneName, owner: OWNER });
    for (const record of records) this.seed(id, record);
    return id;
  }

  /** The object that the last writer named as the owner, by the id of the zone or record. */
  readonly marks = new Map<string, string | undefined>();

  /** Creates a record of another owner. */
  seed(zoneId: string, record: Partial<Stored>): string {
    const { name = 'www', type = 'A', content = '192.0.2.1', ttl, priority } = record;
    return this.#createRecord(zoneId, { name, type, content, priority, ...(ttl == null ? {} : { ttl }) }).id;
  }

  /** Changes a record as another client would, or deletes it with null. */
  tamper(zoneId: string, recordId: string, change: Partial<Stored> | null): void {
    const records = this.zones.get(zoneId)?.records;
    const stored = records?.get(recordId);
    if (!records || !stored) throw new Error(`no record ${recordId}`);
    this.#moved(zoneId);
    if (change === null) {
      records.delete(recordId);
      this.owners.forgetRecord(zoneId, recordId);
    } else records.set(recordId, { ...stored, ...change });
  }

  dropZone(zoneId: string): void {
    this.version += 1;
    this.zones.delete(zoneId);
    this.owners.forgetZone(zoneId);
  }

  /** All records, as `name type content ttl`, sorted. */
  lines(): string[] {
    const lines = [...this.zones.values()].flatMap(({ zone, records }) =>
      [...records.values()].map(({ name, type, content, ttl, priority }) => {
        const value = priority === null ? content : `${priority} ${content}`;
        return `${zone.zoneName} ${name} ${type} ${value} ${ttl ?? zone.defaultTtl}`;
      }),
    );
    return lines.sort();
  }

  ids(): string[] {
    return [...this.zones.values()].flatMap(({ records }) => [...records.keys()]);
  }

  /** A client that calls `keyGate` before each request. */
  clientOf(keyGate: Gate): Client {
    const call = <T>(what: string, work: () => T): Promise<T> =>
      this.#faults.call('api', what, () => {
        const refused = keyGate(what) ?? this.gate(what);
        if (refused) throw refused;
        return copyDeep(work());
      });
    return fakeClient(
      on(applyRecords, ({ params: { id }, body: { sets } }) =>
        call(`apply ${id} ${sets.map(({ owner, release }) => `${release ? '-' : '+'}${owner}`).join(' ')}`, () => ({
          results: this.owners.apply(this.#zone(id, 'no_zone'), sets),
        })),
      ),
      on(listOwners, ({ params: { id }, query: { prefix = '' } = {} }) =>
        call(`owners ${id}`, () => ({ owners: this.owners.list(this.#zone(id, 'no_zone'), prefix) })),
      ),
      on(api.listZones, ({ query: { suffix_of, zoneName } = {} }) =>
        suffix_of === undefined
          ? call(`list zones ${zoneName}`, () => ({ zones: this.#zonesNamed(zoneName) }))
          : call(`find ${suffix_of}`, () => this.#findZone(suffix_of)),
      ),
      on(api.getZone, ({ params: { id } }) => call(`get ${id}`, () => this.#counted(this.#zone(id, 'not_found')))),
      on(api.createZone, ({ body }, options) =>
        call(`create zone ${body.zoneName}`, () =>
          this.#once(options, ['POST zones', body], () => {
            const created = this.#marked(this.#createZone(body), options.managedBy);
            return { ...created, status: 'done' as const, key: this.keys.create(created.id, body) };
          }),
        ),
      ),
      on(api.updateZone, ({ params: { id }, body }) => call(`change ${id}`, () => this.#changeZone(id, body))),
      on(api.deleteZone, ({ params: { id } }) =>
        call(`delete ${id}`, () => {
          this.dropZone(this.#zone(id, 'no_zone').zone.id);
          return null;
        }),
      ),
      on(api.parkZone, ({ params: { id } }) => call(`park ${id}`, () => this.#changeZone(id, { state: 'parked' }))),
      on(api.unparkZone, ({ params: { id } }) => call(`unpark ${id}`, () => this.#changeZone(id, { state: 'active' }))),
      on(listSecondaries, () => call('offered secondaries', () => ({ secondaries: this.secondaries.offers() }))),
      on(listZoneSecondaries, ({ params: { id } }) =>
        call(`secondaries of ${id}`, () => ({
          secondaries: this.secondaries.ofZone(this.#zone(id, 'no_zone').zone.id),
        })),
      ),
      on(chooseZoneSecondaries, ({ params: { id }, body: { secondaries: names } }) =>
        call(`choose ${names.join(',')} for ${id}`, () => {
          this.secondaries.choose(id, names, (message) => refused(403, 'forbidden', message));
          this.#moved(id);
          return { secondaries: this.secondaries.ofZone(id) };
        }),
      ),
      on(listDanglingNames, ({ query: { zone } = {} }) =>
        call(`dangling names ${zone}`, () => ({
          danglingNames: this.dangling.filter((each) => each.zoneId === zone),
        })),
      ),
      on(listRecords, ({ params: { id }, query: { name, type, names, limit, cursor } = {} }) => {
        const filter = { name, type, names: names?.split(',') };
        if (limit === undefined) return call(`list ${id} ${name} ${type}`, () => ({ records: this.#list(id, filter) }));
        const [start, end] = [Number(cursor ?? 0), Number(cursor ?? 0) + Number(limit)];
        return call(`page ${id} ${filter.names ?? name ?? ''} ${type ?? ''}`, () => {
          const records = this.#list(id, filter);
          return { records: records.slice(start, end), ...(records.length > end ? { next: String(end) } : {}) };
        });
      }),
      ...replyAboutChecks(this.checks, call),
      ...replyAboutKeys(this.keys, call, (id) => this.#zone(id, 'no_zone')),
      on(getAccount, () =>
        call('account', () => ({
          key: {
            id: 'k1',
            name: 'operator',
            records: 'write' as const,
            manageZones: this.manageZones,
            clusters: 'write' as const,
            signals: [],
            onlyNames: null,
            onlyTypes: null,
            zoneWrites: null,
            recordWrites: null,
            expiresAt: null,
          },
          team: { id: TEAM, name: 'team', quota: QUOTA },
        })),
      ),
    );
  }

  #zonesNamed(zoneName: string | undefined): Zone[] {
    const name = zoneName === undefined ? null : parseZoneName(zoneName);
    const wanted = name?.ok ? name.value : null;
    return [...this.zones.values()]
      .map((stored) => this.#counted(stored))
      .filter(({ zoneName: each }) => each === wanted);
  }

  #findZone(name: string): Zone {
    const above = listSuffixes(name).map((each) => [...this.zones.values()].find(({ zone }) => zone.zoneName === each));
    const zone = above.find((each) => each !== undefined);
    if (zone === undefined) throw refused(404, 'not_found', 'No zone encloses the name.');
    return this.#counted(zone);
  }

  #marked<T extends { id: string }>(made: T, managedBy: string | undefined): T {
    this.marks.set(made.id, managedBy);
    return made;
  }

  #once<T>(options: CallOptions | undefined, request: unknown, work: () => T): T {
    const token = options?.idempotencyKey;
    if (token === undefined) return work();
    const text = JSON.stringify(request);
    const kept = this.#kept.get(token);
    if (kept && kept.request !== text)
      throw refused(409, 'conflict', 'This Idempotency-Key was used for another request.');
    if (kept) return kept.answer as T;
    const answer = work();
    this.#kept.set(token, { request: text, answer: copyDeep(answer) });
    return answer;
  }

  #createZone({ zoneName, owner, defaultTtl = 3600, denial = DEFAULT_DENIAL, comment }: ZoneCreateBody): Zone {
    if (owner !== OWNER)
      throw refused(403, 'forbidden', `An app can only create zones in its own team: set "owner" to "${OWNER}".`);
    const name = insist(parseZoneName(zoneName));
    if ([...this.zones.values()].some(({ zone }) => zone.zoneName === name))
      throw refused(409, 'conflict', `zoneName: ${name} exists already in this team.`);
    this.version += 1;
    this.#ids += 1;
    const zone: Zone = {
      id: `zone_${this.#ids}`,
      zoneName: name,
      owner,
      state: 'active',
      nameservers: ['ns1.zonestead.test'],
      ds: [],
      defaultTtl,
      denial,
      serial: this.version,
      records: 0,
      createdAt: '2026-11-21T10:00:00.000Z',
      updatedAt: '2026-11-21T10:00:00.000Z',
      ...(comment ? { comment } : {}),
    };
    this.zones.set(zone.id, { zone, records: new Map() });
    return zone;
  }

  #counted({ zone, records }: StoredZone): Zone {
    return { ...zone, nameservers: this.secondaries.nameserversOf(zone), records: records.size };
  }

  #changeZone(id: string, { comment, ...change }: Partial<ZoneChangeBody & Pick<Zone, 'state'>>): Zone {
    const stored = this.#zone(id, 'no_zone');
    this.version += 1;
    const { comment: before, ...zone } = stored.zone;
    const { defaultTtl = zone.defaultTtl, denial = zone.denial, state = zone.state } = change;
    const text = comment === undefined ? before : (comment ?? undefined);
    stored.zone = {
      ...zone,
      ...(text === undefined ? {} : { comment: text }),
      ...{ defaultTtl, denial, state },
      serial: this.version,
    };
    return stored.zone;
  }

  /** The serial moves with every change of a record, as the service's does. */
  #moved(zoneId: string): void {
    this.#changeZone(zoneId, {});
  }

  #createRecord(zoneId: string, body: RecordBody): DnsRecord {
    const parsed = this.#judge(zoneId, body, null);
    this.#moved(zoneId);
    this.#ids += 1;
    const { name, type, content, ttl, priority } = parsed;
    const stored: Stored = { id: `rec_${this.#ids}`, name, type, content, ttl, priority };
    this.#zone(zoneId, 'no_zone').records.set(stored.id, stored);
    return this.#view(zoneId, stored);
  }

  #judge(zoneId: string, body: RecordBody, replacing: string | null): ParsedRecord {
    const { zone, records } = this.#zone(zoneId, 'no_zone');
    const record = insist(parseRecord(body, zone.zoneName));
    const atName = [...records.values()]
      .filter((other) => other.id !== replacing && other.name === record.name)
      .map((other) => {
        const { wire, target } = insist(parseRdata(other.type, other.content, other.priority));
        return { ...other, ordername: record.ordername, wire, target };
      });
    const nearby = new NearbyRecords(zone.zoneName);
    nearby.addNames([record.ordername], atName);
    insist(judgeWrite(record, nearby.surroundingsOf(record, null)));
    return record;
  }

  #list(zoneId: string, { name, names, type }: RecordFilter): ListedRecord[] {
    const { zone, records } = this.#zone(zoneId, 'no_zone');
    const wanted = name === undefined ? undefined : parseOwnerName(name, zone.zoneName, 'TXT');
    const wantedNames = names?.map((each) => insist(parseOwnerName(each, zone.zoneName, 'TXT')));
    return [...records.values()]
      .filter((record) => wantedNames === undefined || wantedNames.includes(record.name))
      .filter((record) => wanted === undefined || (wanted.ok && record.name === wanted.value))
      .filter((record) => type === undefined || record.type === type)
      .map((each) => ({
        ...(this.withdrawn.has(each.id) && { withdrawn: true }),
        ...(this.checks.isFailing(each.health?.check, each.content) && { failing: true }),
        ...markReverse(this.reverseStates, each),
        ...this.#view(zoneId, each),
      }));
  }

  #view(zoneId: string, record: Stored): DnsRecord {
    const { comment, health, ...rest } = record;
    const ttl = record.ttl ?? this.#zone(zoneId, 'no_zone').zone.defaultTtl;
    return { ...rest, ...shownHealth(health), ttl, ...(comment ? { comment } : {}) };
  }

  #zone(id: string, code: 'no_zone' | 'not_found'): StoredZone {
    const stored = this.zones.get(id);
    if (!stored) throw absent(code);
    return stored;
  }
}

function insist<T>(verdict: Verdict<T>): T {
  if (verdict.ok) return verdict.value;
  const { problem } = verdict;
  const message = `${problem.field}: ${problem.message}`;
  if (problem.code === 'bad_request') throw refused(400, problem.code, message);
  const { code, records } = problem;
  throw new ApiError({ status: 409, code, message, retryAfterMs: null, requestId: null, records });
}

/** An error response of the service. */
export function refused(status: number, code: string, message: string, retryAfterMs: number | null = null): ApiError {
  return new ApiError({ status, code, message, retryAfterMs, requestId: null });
}

function addressesWith(records: Iterable<Stored>, check: string): string[] {
  return [...records].flatMap(({ content, health }) => (health?.check === check ? content : []));
}

function absent(code: 'no_zone' | 'not_found'): ApiError {
  return refused(404, code, code === 'no_zone' ? 'No such zone.' : 'No such record in this zone.');
}
