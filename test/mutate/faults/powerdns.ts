// Faults in the PowerDNS API: its answers, its changes of RRsets, and its rights.
import type { Fault } from '../fault.ts';
import { noticedBy } from './fault.ts';

const READ = 'src/doors/powerdns/read-rrsets.ts';
const PUT = 'src/doors/powerdns/routes/put.ts';
const PLAN = 'src/doors/powerdns/plan.ts';
const CREATE = 'src/doors/powerdns/routes/create.ts';
const RRSETS = 'src/service/records/rrsets.ts';

const byRequests = noticedBy('powerdns', 'test/integration/doors/powerdns/requests.test.ts');
const byOddValues = noticedBy('powerdns', 'test/integration/doors/powerdns/odd-values.test.ts');
const bySearch = noticedBy('powerdns', 'test/integration/doors/powerdns/search.test.ts');
const byReplace = noticedBy('powerdns', 'test/integration/doors/powerdns/replace.test.ts');
const byOracle = noticedBy('powerdns', 'test/integration/doors/powerdns/oracle.test.ts');
const byRights = noticedBy('powerdns', 'test/integration/doors/powerdns/rights.test.ts');
const byModel = noticedBy('powerdns', 'test/integration/doors/powerdns/random.test.ts');
const byReading = noticedBy('powerdns', 'test/unit/doors/powerdns/read-rrsets.test.ts');
const byEdits = noticedBy('powerdns', 'test/integration/service/records/edit-rrsets.test.ts');

export const POWERDNS_FAULTS: readonly Fault[] = [
  byOddValues(
    'odd-values',
    'an object in the place of a word is an error of the service',
    'src/doors/powerdns/read-fields.ts',
    "return typeof value === 'string' ? value.toLowerCase() : '';",
    'return String(value).toLowerCase();',
  ),
  {
    name: 'pdns-extend-limit',
    breaks: 'a request adds to one RRset thousands of times',
    edits: [{ file: READ, find: 'const MAX_OF_RRSET = 200;', replace: 'const MAX_OF_RRSET = 5_000;' }],
    project: 'integration',
    tests: ['test/integration/doors/rest/limits/many-at-one-name.test.ts'],
  },
  byRequests('clamp', 'a TTL below 30 s is refused', READ, 'const clamped = clampTtl(ttl);', 'const clamped = ttl;'),
  byReplace(
    'put',
    'a PUT with RRsets does nothing',
    PUT,
    'if (list !== null) await replaceRrsets',
    'if (list === undefined) await replaceRrsets',
  ),
  byReplace(
    'put-rights',
    'a restricted key deletes the records of others',
    PUT,
    '  mustWriteAllRecords(requireActor(exchange.request), zone.id);\n',
    '',
  ),
  byReplace(
    'put-part',
    'a part of a zone replaces the whole zone',
    PUT,
    'if (soa === undefined)',
    'if (list.length < 0)',
  ),
  byReplace(
    'kept-settings',
    'settings are answered with success and dropped',
    PUT,
    'if (hasSettings) await changeClientSettings',
    'if (hasSettings && list !== null) await changeClientSettings',
  ),
  byRequests(
    'search',
    'a restricted key finds all records',
    'src/service/records/search.ts',
    'readableOnly(actor) ?? ',
    'null ?? ',
  ),
  bySearch(
    'wildcards',
    'a search has any number of wildcards',
    'src/doors/powerdns/routes/search.ts',
    '?.length ?? 0) > LIMITS.wildcards',
    '?.length ?? 0) > 1_000',
  ),
  bySearch(
    'search-zones',
    'a key finds records of a zone that it may not read',
    'src/service/records/search.ts',
    "except: grants.filter(([, level]) => level === 'none')",
    "except: grants.filter(([, level]) => level === 'read')",
  ),
  bySearch(
    'search-names',
    'a key without rights finds the names of all zones of its team',
    'src/service/records/search.ts',
    "actor.manageZones === 'none' ? readableZones(actor)",
    "actor.manageZones === 'write' ? readableZones(actor)",
  ),
  byRequests(
    'servers',
    'a zone is created with third-party name servers',
    CREATE,
    '  mustHaveOurNameservers(fields, context.nameservers);\n',
    '',
  ),
  byOracle(
    'dots',
    'a relative host name is taken for an absolute one',
    READ,
    '...readContent(type, content)',
    'content',
  ),
  byOracle(
    'conflict',
    'records that exclude each other are answered 409',
    'src/doors/powerdns/refusals.ts',
    "status === 409 && refused.field !== 'zoneName' ? 422 : status",
    'status',
  ),
  byOracle('twice', 'an RRset may be replaced twice', READ, '&& times > 1', '&& false'),
  byOracle('outside', 'a deletion outside of the zone is refused', READ, "if (kind === 'DELETE') return null;", ''),
  byReading('own', 'the NS records of the apex are changed without an error', READ, 'if (isSame || ', 'if (true || '),
  byReading(
    'default',
    'an unchanged TTL is written',
    PLAN,
    '=== (record.ttl ?? defaultTtl) ? twin : record',
    '=== -1 ? twin : record',
  ),
  byModel(
    'extend',
    'EXTEND changes the TTL of a value that is there',
    PLAN,
    '  if (working.records.has(value)) return;\n',
    '',
  ),
  byModel(
    'prune',
    'PRUNE removes all values',
    PLAN,
    'working.records.delete(keyOfOctets(record.wire))',
    'if (record) working.records.clear()',
  ),
  byModel(
    'order',
    'a change does not see the one before it',
    PLAN,
    'workingByKey.get(key) ?? toWorking(',
    'toWorking(',
  ),
  byRights(
    'tenant',
    "another team's zone is found by its name",
    'src/service/zones/lookup.ts',
    ' && maySee(actor, zone)',
    '',
  ),
  byRights(
    'export',
    'a restricted key exports the zone',
    'src/doors/powerdns/routes/export.ts',
    '    mustReadWholeZone(actor, zone.id);\n',
    '',
  ),
  byRights(
    'places',
    'the records of a new zone are not limited',
    CREATE,
    'most === null ? null : openBudget',
    'most !== 0 ? null : openBudget',
  ),
  byRights(
    'settings',
    'a key without the right to manage zones changes their settings',
    PUT,
    'if (hasSettings || denial !== undefined || list === null) mustManageZones',
    'if (list === undefined) mustManageZones',
  ),
  byEdits(
    'rights',
    'a restricted key changes RRsets of other names',
    RRSETS,
    '  for (const rrset of plan.rrsets) mustWriteRecord(caller.actor, zone.id, rrset);\n',
    '',
  ),
  byEdits('turns', 'a CNAME cannot take the place of addresses', RRSETS, 'rankEdit(one) - rankEdit(other) || ', ''),
  byEdits(
    'growth',
    'a full RRset cannot be replaced by a full one',
    RRSETS,
    ' || computeGrowth(one) - computeGrowth(other)',
    '',
  ),
  byEdits(
    'replay',
    'a repeated change of RRsets takes effect again',
    RRSETS,
    'stored: { answer: result }, entries',
    'stored: entries.length > 0 ? { answer: result } : null, entries',
  ),
  {
    name: 'powerdns-own-replace',
    breaks: "a PATCH that replaces the service's own records is accepted as if it were done",
    edits: [
      {
        file: 'src/doors/powerdns/read-rrsets.ts',
        find: "kind === 'REPLACE' &&\n    requestedContents?.length === ownContents?.length &&\n    requestedContents?.every",
        replace: "kind === 'REPLACE' || requestedContents?.every",
      },
    ],
    project: 'integration',
    tests: ['test/integration/doors/powerdns/requests.test.ts'],
  },
  {
    name: 'powerdns-own-extend',
    breaks: "a PATCH that extends the service's own records is accepted as if it were done",
    edits: [
      {
        file: 'src/doors/powerdns/read-rrsets.ts',
        find: "kind === 'EXTEND' && requestedContents?.every((each) => ownContents?.includes(each))",
        replace: "kind === 'EXTEND'",
      },
    ],
    project: 'integration',
    tests: ['test/integration/doors/powerdns/requests.test.ts'],
  },
];
