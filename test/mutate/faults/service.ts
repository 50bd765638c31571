// Faults in the decisions of the service: rights, limits, stored answers for repeated requests.
import type { Fault } from '../fault.ts';

const EDIT = 'src/service/change/state.ts';

const limits = { project: 'integration', tests: ['test/integration/doors/rest/limits/limits.test.ts'] } as const;

export const SERVICE_FAULTS: readonly Fault[] = [
  {
    name: 'read-only-open',
    breaks: 'operations without a write limit change things while changes are paused',
    project: 'integration',
    tests: ['test/integration/http/read-only.test.ts'],
    edits: [
      {
        file: 'src/http/hooks/read-only.ts',
        find: "return !changesNothing && !repeatable && operation?.needs !== 'node';",
        replace: 'return !changesNothing && !repeatable && operation?.counts !== undefined;',
      },
    ],
  },
  {
    name: 'read-only-updates',
    breaks: 'DNS updates change zones while changes are paused',
    project: 'integration',
    tests: ['test/integration/http/read-only.test.ts'],
    edits: [{ file: 'src/service/updates/update.ts', find: '  mustTakeChanges(context);\n', replace: '' }],
  },
  {
    name: 'limits-unread-free',
    breaks: 'a body that no parser takes uses no write of the key',
    edits: [
      {
        file: 'src/http/errors.ts',
        find: 'answer(await countFailedBody(request, error), request, reply)',
        replace: 'answer(error, request, reply)',
      },
    ],
    ...limits,
  },
  {
    name: 'challenges-acme-dns',
    breaks: 'values of acme-dns count as records',
    project: 'integration',
    tests: ['test/integration/doors/acme/requests.test.ts'],
    edits: [{ file: 'src/doors/acme/acme-dns/door.ts', find: "counts: 'challenges'", replace: "counts: 'records'" }],
  },
  {
    name: 'challenges-update',
    breaks: 'challenges of DNS updates wait for other records of the key',
    project: 'integration',
    tests: ['test/integration/doors/dns-update/rights.test.ts'],
    edits: [
      { file: 'src/service/updates/update.ts', find: 'limit, countChallengeRrsets(update)', replace: 'limit, 0' },
    ],
  },
  {
    name: 'challenges-no-window',
    breaks: 'a bulk of records makes certificates wait',
    edits: [
      {
        file: 'src/service/limits.ts',
        find: 'const own = Math.min(writes, challenges);',
        replace: 'const own = Math.min(0, challenges);',
      },
    ],
    ...limits,
  },
  {
    name: 'challenges-any-type',
    breaks: 'records of all types at names of challenges count as challenges',
    edits: [{ file: 'src/dns/names/certified.ts', find: " || type.toUpperCase() !== 'TXT'", replace: '' }],
    ...limits,
  },
  {
    name: 'challenges-by-id',
    breaks: 'a change of any record by its id counts as a challenge',
    edits: [
      {
        file: 'src/contract/batch.ts',
        find: "change?.action === 'create' ? change.record : null",
        replace: 'change?.record',
      },
    ],
    ...limits,
  },
  {
    name: 'challenges-half-taken',
    breaks: 'a refused request of challenges and other records takes places of challenges',
    edits: [
      {
        file: 'src/service/limits.ts',
        find: 'await windows.challenges.giveBack();',
        replace: '{}',
      },
    ],
    ...limits,
  },
  {
    name: 'zones-batch-remove-rights',
    breaks: 'a key that is restricted to some names deletes any record through a batch',
    edits: [
      {
        file: EDIT,
        find: '  mustWriteRecord(caller.actor, zone.id, row);\n  return row;',
        replace: '  return row;',
      },
    ],
    project: 'integration',
    tests: ['test/integration/doors/rest/records/batch-rights.test.ts'],
  },
  {
    name: '2-batch-update-rights',
    breaks: 'a key that is restricted to some names changes any record through a batch',
    edits: [
      {
        file: EDIT,
        find: '  mustWriteRecord(caller.actor, zone.id, record);\n  mustKeepPlace',
        replace: '  mustKeepPlace',
      },
      {
        file: EDIT,
        find: '  mustWriteRecord(caller.actor, zone.id, row);\n  return row;',
        replace: '  return row;',
      },
    ],
    project: 'integration',
    tests: ['test/integration/doors/rest/records/batch-rights.test.ts'],
  },
  {
    name: 'zones-idempotency-sweep',
    breaks: 'the stored answers to Idempotency-Keys are kept as long as history',
    edits: [
      {
        file: 'src/service/retention.ts',
        find: "history === 'answers' ? settings.answersMs : settings.historyMs",
        replace: "history === 'answers' ? settings.historyMs : settings.historyMs",
      },
    ],
    project: 'integration',
    tests: ['test/integration/store/retention.test.ts'],
  },
  {
    name: 'zones-idempotency-age',
    breaks: 'answers are kept for a minute instead of 24 hours',
    edits: [
      {
        file: 'src/api/rounds.ts',
        find: 'answersMs: config.ZONESTEAD_IDEMPOTENCY_HOURS * HOUR_MS',
        replace: 'answersMs: 60_000',
      },
    ],
    project: 'integration',
    tests: ['test/integration/service/retention.test.ts'],
  },
  {
    name: 'engine-bulk-share',
    breaks: 'a batch of 500 records takes all writes of the window of its key',
    edits: [{ file: 'src/base/bulk-writes.ts', find: 'Math.ceil(limit / 2)', replace: 'limit' }],
    project: 'integration',
    tests: ['test/integration/doors/rest/records/batch.test.ts'],
  },
  {
    name: 'engine-places-before',
    breaks: 'a large request that changes nothing is judged without a place in the window',
    edits: [
      {
        file: 'src/service/limits.ts',
        find: 'return Math.floor(records / RECORDS_PER_WRITE);',
        replace: 'return Math.min(0, records);',
      },
    ],
    project: 'integration',
    tests: ['test/integration/doors/rest/limits/many-at-one-name.test.ts'],
  },
  {
    name: 'engine-rrset-places',
    breaks: 'an RRset of 4,000 records counts as one write',
    edits: [
      {
        file: 'src/service/limits.ts',
        find: 'return Math.ceil(records / RECORDS_PER_WRITE);',
        replace: 'return Math.min(1, records);',
      },
    ],
    project: 'integration',
    tests: ['test/integration/doors/rest/limits/many-at-one-name.test.ts'],
  },
  {
    name: 'engine-repeat-rights',
    breaks: 'an Idempotency-Key gives the stored answer to a key that lost its rights on the record',
    edits: [
      {
        file: 'src/service/change/judge.ts',
        find: '    work.mustRepeat(actor, zone.id, earlierAnswer.answer);\n',
        replace: '',
      },
    ],
    project: 'unit',
    tests: ['test/unit/service/judge-group.test.ts'],
  },
  {
    name: 'engine-answers-unbounded',
    breaks: 'stored answers to Idempotency-Keys count towards no limit',
    edits: [
      {
        file: 'src/service/retention.ts',
        find: '    await boundHistory(options, history, signal);',
        replace: "    if (history !== 'answers') await boundHistory(options, history, signal);",
      },
    ],
    project: 'integration',
    tests: ['test/integration/store/retention.test.ts'],
  },
  {
    name: 'engine-twin-search',
    breaks: 'each record is compared with all records of its RRset, which takes quadratic time',
    edits: [
      {
        file: 'src/dns/rules/name-records.ts',
        find: '    this.#twins ??= new Map(',
        replace: '    this.#twins = new Map(',
      },
    ],
    project: 'unit',
    tests: ['test/unit/service/many-at-one-name.test.ts'],
  },
  {
    name: 'cond-unread',
    breaks: 'If-Match has no effect on any change',
    edits: [
      {
        file: 'src/doors/rest/serve.ts',
        find: 'takesCondition(operation) ? readConditionalCaller(request) : readCaller(request)',
        replace: 'readCaller(request)',
      },
    ],
    project: 'integration',
    tests: ['test/integration/doors/rest/requests/conditions.test.ts'],
  },
  {
    name: 'cond-none-match',
    breaks: 'If-None-Match with tags has no effect on a change',
    edits: [
      {
        file: 'src/service/conditions/condition.ts',
        find: "ifNoneMatch === '*' || ifNoneMatch.some((each) => isAmong([stripForm(each)], etag))",
        replace: "ifNoneMatch === '*'",
      },
    ],
    project: 'integration',
    tests: ['test/integration/doors/rest/requests/conditions.test.ts'],
  },
  {
    name: 'own-most',
    breaks: 'a record may have any number of owners',
    edits: [
      {
        file: 'src/service/owners/decide.ts',
        find: 'others.length >= MAX_OWNERS',
        replace: 'others.length >= 1_000_000',
      },
    ],
    project: 'integration',
    tests: ['test/integration/service/owners/apply.test.ts'],
  },
  {
    name: 'own-lease-renewed',
    breaks: 'a lease that was renewed between the look and its release is released',
    edits: [
      {
        file: 'src/service/owners/judge-sets.ts',
        find: 'ownSet.expires <= set.endedBy',
        replace: 'ownSet.expires > 0',
      },
    ],
    project: 'unit',
    tests: ['test/unit/service/judge-group.test.ts'],
  },
  {
    name: 'zones-quota-lock',
    breaks: 'two zones of one team can both take the last place of its quota',
    edits: [
      {
        file: 'src/store/quotas.ts',
        find: 'from teams where id = $1 for no key update',
        replace: 'from teams where id = $1',
      },
    ],
    project: 'integration',
    tests: ['test/integration/service/accounts/quotas.test.ts'],
  },
  {
    name: 'zones-quarantine',
    breaks: 'the name of a deleted zone is free to any team at once',
    edits: [{ file: 'src/service/zones/zones.ts', find: '    await keepName(tx, context, zone);\n', replace: '' }],
    project: 'integration',
    tests: ['test/integration/service/zones/quarantine.test.ts'],
  },
  {
    name: 'zones-reserved-names',
    breaks: 'any team can make a zone of a reserved name such as cluster.local',
    edits: [
      {
        file: 'src/service/zones/create.ts',
        find: '  mustNotBeReserved(name, context.reservedNames ?? []);\n',
        replace: '',
      },
    ],
    project: 'integration',
    tests: ['test/integration/service/zones/reserved-names.test.ts'],
  },
  {
    name: 'zones-limit-returns',
    breaks: 'a request that is answered 503 busy gives back all places of its key instead of its own',
    edits: [
      {
        file: 'src/store/windows.ts',
        find: 'set times = array_remove(times,',
        replace: "set times = array_remove('{}'::timestamptz[],",
      },
    ],
    project: 'integration',
    tests: ['test/integration/service/change/busy.test.ts', 'test/integration/doors/rest/limits/limits.test.ts'],
  },
  {
    name: 'api-get-once',
    breaks: 'an Idempotency-Key has an effect on PUT and DELETE, too',
    edits: [
      {
        file: 'src/http/hooks/auth.ts',
        find: "if (token === undefined || request.method !== 'POST') return",
        replace: 'if (token === undefined) return',
      },
    ],
    project: 'integration',
    tests: ['test/integration/doors/rest/requests/idempotency.test.ts'],
  },
  {
    name: 'api-once-log',
    breaks: 'repetitions of a request wait for each other while the database writes its log',
    edits: [
      {
        file: 'src/service/change/once.ts',
        find: '  if ((await storedAnswer(context.db, caller)) === null) return null;\n',
        replace: "  if (caller.once?.token !== '') return null;\n",
      },
    ],
    project: 'integration',
    tests: ['test/integration/doors/rest/requests/idempotency.test.ts'],
  },
  {
    name: 'api-request-times',
    breaks: 'a request has 300 s to arrive and its headers 100 s, instead of 30 s and 10 s',
    edits: [
      { file: 'src/http/server.ts', find: 'const REQUEST_MS = 30_000;', replace: 'const REQUEST_MS = 300_000;' },
      { file: 'src/http/server.ts', find: 'const HEADERS_MS = 10_000;', replace: 'const HEADERS_MS = 100_000;' },
    ],
    project: 'unit',
    tests: ['test/unit/http/request-times.test.ts'],
  },
];
