// Faults in DNS updates: signatures, prerequisites, changes, rights and replayed messages.
import type { Fault } from '../fault.ts';
import { noticedBy } from './fault.ts';

const TSIG = 'src/dns/message/tsig.ts';
const APPLY = 'src/dns/update/apply.ts';
const SERVICE = 'src/service/updates/update.ts';
const MODEL = 'test/unit/dns/update/model.test.ts';
const DOOR = 'test/integration/doors/dns-update/door.test.ts';
const RIGHTS = 'test/integration/doors/dns-update/rights.test.ts';

const bySignature = noticedBy('update', 'test/unit/dns/message/tsig.test.ts');
const byModel = noticedBy('update', MODEL);
const atDoor = noticedBy('update', DOOR);
const byRights = noticedBy('update', RIGHTS);
const byQueries = noticedBy('update', 'test/integration/doors/dns-update/queries.test.ts');
const byKeys = noticedBy('update', 'test/integration/service/credentials/tsig-keys.test.ts');
const bySlowTransfers = noticedBy('update', 'test/integration/doors/dns-update/slow-transfers.test.ts');
const byReads = noticedBy('update', 'test/unit/service/large-read.test.ts');

export const UPDATE_FAULTS: readonly Fault[] = [
  bySignature('fudge', 'a client may choose a fudge of hours', TSIG, 'Math.min(tsig.fudge, FUDGE)', 'tsig.fudge'),
  bySignature(
    'short',
    'a MAC of one octet is compared',
    TSIG,
    'length > expectedMac.length || length < Math.max(10, expectedMac.length / 2)',
    'length > expectedMac.length',
  ),
  bySignature(
    'mac',
    'an answer is not bound to its request',
    TSIG,
    'request.mac,\n    withId',
    'new Uint8Array(), withId',
  ),
  byModel('cname', 'a CNAME gets next to other records', APPLY, "type === 'CNAME' ? others.length > 0 : ", ''),
  byModel('single', 'a name gets two CNAMEs', APPLY, 'if (SINGLE_TYPES.includes(type)) rrset.records.clear();', ''),
  byModel('ttl', 'the records of an RRset keep different TTLs', APPLY, '  rrset.ttl = record.ttl;', ''),
  byModel('part', 'a prerequisite is met by a part of the RRset', APPLY, 'presentValues.size !== values.size || ', ''),
  atDoor(
    'replay',
    'a replayed update takes effect again',
    SERVICE,
    'changes.length === 0 ? null : caller.once',
    'changes.length === 0 ? null : null',
  ),
  atDoor(
    'refused-replay',
    'a refused message is tried again',
    'src/doors/dns-update/replays.ts',
    'if (isFinal) keep(mac, answer);',
    '',
  ),
  atDoor(
    'busy',
    'a busy zone is answered REFUSED',
    'src/doors/dns-update/refusals.ts',
    "busy: { rcode: 'SERVFAIL'",
    "busy: { rcode: 'REFUSED'",
  ),
  byRights(
    'ask',
    'a prerequisite reads names that the key may not read',
    SERVICE,
    '  mustReadPrerequisites(caller, zone, update);\n',
    '',
  ),
  byRights(
    'tenant',
    'a key learns which zones others have',
    'src/service/zones/lookup.ts',
    'maySee(actor, zone) ? zone : null',
    'true ? zone : null',
  ),
  byRights(
    'nothing',
    'a deletion that does nothing tells which records exist',
    APPLY,
    '    this.#touched.add(working);',
    '    if (working.records.size > 0) this.#touched.add(working);',
  ),
  byRights(
    'places',
    'an update of a busy zone counts as a write',
    SERVICE,
    "error.code === 'busy'",
    "error.code === 'internal'",
  ),
  noticedBy('update', 'test/integration/doors/dns-update/forward.test.ts')(
    'flood',
    'queries from forged addresses take the places of clients over TCP',
    'src/doors/dns-update/queries.ts',
    "const lane: ForwardLane = proof.kind === 'unsigned' ? protocol : 'signed';",
    "const lane: ForwardLane = proof.kind === 'unsigned' ? 'tcp' : 'signed';",
  ),
  noticedBy('update', 'test/integration/doors/dns-update/forward.test.ts')(
    'behind',
    'a client does not find what it wrote',
    'src/doors/dns-update/queries.ts',
    "const actor = proof.kind === 'unsigned' ? sender : proof.key.actor;",
    "const actor = proof.kind === 'unsigned' ? sender : null;",
  ),
  noticedBy('update', 'test/integration/doors/dns-update/forward.test.ts')(
    'behind-unsigned',
    'an unsigned query right after an update is answered with the state before it',
    'src/doors/dns-update/queries.ts',
    "const actor = proof.kind === 'unsigned' ? sender : proof.key.actor;",
    "const actor = proof.kind === 'unsigned' ? null : proof.key.actor;",
  ),
  noticedBy('update', 'test/integration/doors/dns-update/overload.test.ts')(
    'strangers',
    'an overloaded process looks up each key of a flood',
    'src/doors/dns-update/proof.ts',
    '  load.refuseStrangers(keyName);\n',
    '',
  ),
  noticedBy('update', 'test/integration/doors/powerdns/create.test.ts')(
    'first-records',
    'a zone is committed without the records of its creation',
    'src/service/zones/create.ts',
    'await records(tx, zone);',
    '',
  ),
  noticedBy('update', 'test/integration/doors/dns-update/process.test.ts')(
    'exit',
    'an update in progress gets no answer when the api exits',
    'src/doors/dns-update/door.ts',
    'await endsWithin(realClock, FINISH_MS, Promise.allSettled(inProgress));',
    '',
  ),
  noticedBy('update', 'test/integration/doors/dns-update/hostile.test.ts')(
    'half-open',
    'a client that ends its half of the connection loses answers',
    'src/doors/dns-update/tcp.ts',
    'allowHalfOpen: true',
    'allowHalfOpen: false',
  ),
  byQueries(
    'amplification',
    'an unsigned query gets an answer of any length over UDP',
    'src/doors/dns-update/queries.ts',
    'Math.min(PLAIN_UDP, MAX_AMPLIFICATION * octets.length)',
    'PLAIN_UDP',
  ),
  byKeys(
    'absent-keys',
    'each message with an unknown key asks the database',
    'src/service/keys/look-up-tsig.ts',
    'expiryByName.set(name, performance.now() + ABSENT_MS);',
    '',
  ),
  byKeys(
    'shared-keys',
    'each message with an unknown key has a statement of its own',
    'src/service/keys/look-up-tsig.ts',
    'const row = await lookUp(db, name, name);',
    'const [row = null] = await findTsigSecrets(db, [name]);',
  ),
  bySlowTransfers(
    'slow-transfer',
    'slow transfers keep all slots from other teams',
    'src/service/updates/transfer.ts',
    'pages: paced }',
    'pages }',
  ),
  byReads(
    'slow-alone',
    'a slow client keeps a snapshot of the database for hours',
    'src/service/large-read.ts',
    '(reads.isWanted() ? contendedPace : alone).isExceeded',
    '(reads.isWanted() && contendedPace.isExceeded)',
  ),
  byReads(
    'slow-wanted',
    'a slow client keeps its slot while another team waits',
    'src/service/large-read.ts',
    '(reads.isWanted() ? contendedPace : alone).isExceeded',
    'alone.isExceeded',
  ),
  {
    name: 'update-answer-loop',
    breaks: 'the update port answers messages that are answers',
    edits: [
      {
        file: 'src/doors/dns-update/dispatch.ts',
        find: 'header === null || header.isAnswer) return;',
        replace: 'header === null) return;',
      },
    ],
    project: 'integration',
    tests: ['test/integration/doors/dns-update/hostile.test.ts'],
  },
  {
    name: 'update-forward-id',
    breaks: 'the answer of a name server to another query is passed on',
    edits: [
      {
        file: 'src/doors/dns-update/forward.ts',
        find: 'answer[0] === query[0] && answer[1] === query[1] && ',
        replace: '',
      },
    ],
    project: 'integration',
    tests: ['test/integration/doors/dns-update/forward.test.ts'],
  },
  {
    name: 'update-forward-flag',
    breaks: 'a query that comes back is passed on as an answer',
    edits: [{ file: 'src/doors/dns-update/forward.ts', find: ' && ((answer[2] ?? 0) & 0x80) !== 0', replace: '' }],
    project: 'integration',
    tests: ['test/integration/doors/dns-update/forward.test.ts'],
  },
];
