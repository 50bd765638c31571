// Faults in health checks: the states of addresses, the brakes, the rights, and the answers.
import type { Fault } from '../fault.ts';

const UNIT = ['test/unit/service/checks', 'test/unit/base/probes', 'test/unit/dns/members.test.ts'];
const CHECKS = ['test/integration/service/checks/checks.test.ts'];
const PROBE = ['test/integration/service/checks/probe.test.ts'];
const SIGNALS = ['test/integration/service/checks/signals.test.ts'];
const BRAKES = ['test/integration/service/checks/brakes.test.ts'];

type Row = readonly [name: string, breaks: string, file: string, find: string, replace: string];

const faults = (project: Fault['project'], tests: readonly string[], rows: readonly Row[]): Fault[] =>
  rows.map(([name, breaks, file, find, replace]) => ({
    name: `checks-${name}`,
    breaks,
    edits: [{ file, find, replace }],
    project,
    tests,
  }));

export const CHECK_FAULTS: readonly Fault[] = [
  ...faults('unit', UNIT, [
    [
      'two-tiers',
      'records of two tiers are answered together',
      'src/dns/members.ts',
      'records.filter(({ tier = 0 }) => tier === lowest)',
      'records.filter(({ tier = 0 }) => tier >= lowest)',
    ],
    [
      'empty',
      'one record that wants nothing empties an RRset whose other records want all',
      'src/dns/members.ts',
      'presentRecords.every(({ whenAllFail })',
      'presentRecords.some(({ whenAllFail })',
    ],
    [
      'any-type',
      'a CNAME record has a check',
      'src/dns/members.ts',
      'if (CHECKED_TYPES.includes(type)) return accept(health);',
      'return accept(health);',
    ],
    [
      'slow-confirm',
      'the retries after a failure wait for the whole interval',
      'src/base/probes/judge.ts',
      'isConfirming(track, rule) ? Math.min(rule.retryInterval, rule.interval) : rule.interval',
      'isConfirming(track, rule) ? rule.interval : rule.interval',
    ],
    [
      'one-success',
      'an unhealthy address is healthy after one success',
      'src/base/probes/judge.ts',
      "successes >= (state === 'Unhealthy' ? rule.successes : 1)",
      'successes >= 1',
    ],
    [
      'no-pause',
      'an address goes down directly after it came up',
      'src/base/probes/judge.ts',
      'now < upAt + PAUSE_MS',
      'now < upAt',
    ],
    [
      'one-owner-freezes-all',
      'one owner with many dead addresses freezes all others',
      'src/service/checks/brake.ts',
      'shares > probed.length / 2',
      'shares > 0.9',
    ],
    [
      'no-window',
      'addresses that became unhealthy a moment ago do not count for the brake',
      'src/service/checks/brake.ts',
      'now < downAt + Math.max(WINDOW_MS, intervalMs)',
      'now < downAt',
    ],
    [
      'late-brake',
      'the brake counts an address only when its failure is confirmed',
      'src/service/checks/targets.ts',
      'decision === null && track.failures > 0',
      'decision === null && track.failures > 9',
    ],
    [
      'slow-window',
      'a failure of our own network takes out most addresses that are probed every five minutes',
      'src/service/checks/brake.ts',
      'Math.max(WINDOW_MS, intervalMs)',
      'WINDOW_MS',
    ],
    [
      'flood',
      'an address gets a probe for each check at once',
      'src/base/probes/lines.ts',
      'this.#mayGoAt(each) <= now',
      'this.#mayGoAt(each) <= now + ADDRESS_MS',
    ],
    [
      'no-share',
      'the hanging probes of one owner take all permits',
      'src/base/probes/lines.ts',
      'this.#permits.of(owner) < share',
      'this.#permits.of(owner) < share * 10',
    ],
    [
      'private',
      'checks probe private addresses',
      'src/base/probes/allowed.ts',
      'if (!isAllowed(address))',
      'if (!isAllowed(address) && address.length > 60)',
    ],
    [
      'ports',
      'checks probe every port',
      'src/base/probes/allowed.ts',
      'port >= first && port <= last',
      'port >= first || port <= last',
    ],
  ]),
  ...faults('integration', CHECKS, [
    [
      'still-answered',
      'answers have addresses whose check fails',
      'src/service/nodes/render.ts',
      'flatMap((list) => pickServed(members(list)))',
      'flatMap((list) => (pickServed(members(list)).length > 0 ? list : list))',
    ],
    [
      'long-ttl',
      'resolvers keep a checked address for an hour',
      'src/dns/members.ts',
      'health?.weight === undefined ? ttl : Math.min(ttl, MAX_CHECKED_TTL)',
      'health?.weight === undefined ? ttl : ttl',
    ],
    [
      'redirects',
      'the body of an answer is read to its end',
      'src/base/probes/probe.ts',
      'response.destroy();',
      "response.resume().on('end', () => response.destroy());",
    ],
    [
      'status',
      'every status is that of a healthy answer',
      'src/base/probes/definition.ts',
      'each === status || each ===',
      'each !== status || each ===',
    ],
    [
      'rights',
      'a key with a list of names writes checks',
      'src/service/checks/checks.ts',
      'return isEnough && readableOnly(actor) === null;',
      'return isEnough;',
    ],
    [
      'readers',
      'a key that only reads records writes checks',
      'src/service/checks/checks.ts',
      "verb === 'read' ? actor.records !== 'none' : actor.records === 'write'",
      "actor.records !== 'none' || verb === 'read'",
    ],
    [
      'in-use',
      'a check is deleted while records have it',
      'src/store/checks.ts',
      'if (records === 0) await remove(tx, owner, name);\n  return { before: row.definition, records };',
      'await remove(tx, owner, name);\n  return { before: row.definition, records: 0 };',
    ],
    [
      'pin-ends',
      'a pin never ends',
      'src/store/check-targets.ts',
      'where t.pin_until <= now()`);',
      "where t.pin_until <= now() - interval '1 hour'`);",
    ],
    [
      'pin-lost',
      'the next probe ends a pin',
      'src/store/check-targets.ts',
      "const IS_PINNED = 'pin is not null and pin_until > now()';",
      "const IS_PINNED = 'pin is not null and pin_until < now()';",
    ],
    [
      'pin-hidden',
      'a check with many addresses does not show those that are pinned',
      'src/store/check-targets.ts',
      'coalesce(t.pin_until > now(), false)) desc',
      'false) desc',
    ],
    [
      'changes-grow',
      'the changes of an address that goes up and down fill the table',
      'src/store/migrations/0000_schema.sql',
      'order by o.no desc offset 100 limit 1);',
      'order by o.no desc offset 1000 limit 1);',
    ],
    [
      'revision-stays',
      'a client that keeps the revision never reads the new states',
      'src/service/checks/view.ts',
      '[Object.entries(definition).sort(), digest]',
      '[Object.entries(definition).sort(), digest.length]',
    ],
    [
      'forgotten',
      'a client without checks takes the check off a record',
      'src/service/change/state.ts',
      'const { comment = row.comment, health = row.health } = record;',
      'const { comment = row.comment, health = null } = record;',
    ],
  ]),
  ...faults('integration', BRAKES, [
    [
      'two-probers',
      'a process without the lease probes',
      'src/service/checks/checker.ts',
      "if (!this.#hasLease) {\n      this.#targets.clear();\n      this.#votes.clear();\n      this.#version = '';\n      return;\n    }",
      '',
    ],
    [
      'late-write',
      'a process that lost the lease changes the state of an address',
      'src/store/check-targets.ts',
      'where l.holder = $4 and l.until > clock_timestamp())',
      'where l.holder = $4 or l.until > clock_timestamp())',
    ],
    [
      'no-quota',
      'an owner has any number of checks',
      'src/service/checks/checks.ts',
      '>= MAX_CHECKS)',
      '>= 100 * MAX_CHECKS)',
    ],
    [
      'restart-flips',
      'an unhealthy address is answered because another process begins to probe',
      'src/base/probes/judge.ts',
      "state === 'Unhealthy' ? rule.successes : 1",
      "state === 'Unhealthy' ? 0 : 1",
    ],
    [
      'no-freeze',
      'a failure of our own network takes most addresses out of the answers',
      'src/service/checks/brake.ts',
      'watched.isSignalled) || groups.has(toGroup(watched));',
      'watched.isSignalled) && groups.has(toGroup(watched));',
    ],
    [
      'not-taken-back',
      'the addresses that failed just before a mass failure was seen stay out of the answers',
      'src/service/checks/flips.ts',
      ' &&\n        isFrozen(this.#frozen, watched(target)),',
      ' &&\n        !isFrozen(this.#frozen, watched(target)),',
    ],
    [
      'undo',
      'an undo does not put back the check of a record',
      'src/service/undo/plan.ts',
      'const fields = { check: null, ...health };',
      'const fields = { check: null, ...(health && null) };',
    ],
    [
      'restored-zone',
      'a deleted zone whose check is gone cannot come back',
      'src/store/deleted-zones.ts',
      "then r.health\n  else nullif(r.health - 'check', '{}') end",
      'then r.health\n  else r.health end',
    ],
  ]),
  ...faults('integration', SIGNALS, [
    [
      'turns',
      'thousands of addresses of one owner that fail hold up those of other owners',
      'src/service/checks/flips.ts',
      'takeTurns(targets, ({ owner }) => owner, MAX_OF_ROUND)',
      'targets',
    ],
  ]),
  ...faults('integration', PROBE, [
    [
      'tls',
      'a probe over HTTPS accepts any certificate',
      'src/base/probes/probe.ts',
      "rejectUnauthorized: tls === 'verify'",
      "rejectUnauthorized: tls === 'none'",
    ],
    [
      'left-behind',
      'each probe leaves a listener behind, and the memory grows',
      'src/base/probes/probe.ts',
      "    signal.removeEventListener('abort', onAbort);\n",
      '',
    ],
  ]),
];
