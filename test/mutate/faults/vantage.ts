// Faults in the probes of name servers: the majority, silence, the share of probes, and what a node may say and probe.
import type { Fault } from '../fault.ts';

const VANTAGE = ['test/unit/service/checks/vantage.test.ts'];
const NODE = ['test/unit/nameserver/node/probe-targets.test.ts', 'test/unit/nameserver/node/prober.test.ts'];
const LINES = ['test/unit/base/probes/lines.test.ts'];
const CHAIN = ['test/integration/service/checks/vantage.test.ts'];

type Row = readonly [name: string, breaks: string, file: string, find: string, replace: string];

const faults = (project: Fault['project'], tests: readonly string[], rows: readonly Row[]): Fault[] =>
  rows.map(([name, breaks, file, find, replace]) => ({
    name: `vantage-${name}`,
    breaks,
    edits: [{ file, find, replace }],
    project,
    tests,
  }));

const DECIDE = 'src/service/checks/vantage.ts';
const TARGETS = 'src/nameserver/node/probe-targets.ts';
const PROBER = 'src/nameserver/node/prober.ts';
const STORE = 'src/store/check-votes.ts';

export const VANTAGE_FAULTS: readonly Fault[] = [
  ...faults('unit', VANTAGE, [
    [
      'half',
      'half of the name servers decide',
      DECIDE,
      'const state = failing.length > half',
      'const state = failing.length >= half',
    ],
    [
      'silent-flip',
      'name servers that fall silent change a state',
      DECIDE,
      'const half = votes.length / 2',
      'const half = fresh.length / 2',
    ],
    ['two', 'two name servers decide', DECIDE, 'fresh.length < LEAST_VANTAGES', 'fresh.length < LEAST_VANTAGES - 1'],
    [
      'no-end',
      'the vote of a name server never ends',
      DECIDE,
      'now < vote.reportedAt + freshMs(interval)',
      'now < vote.reportedAt + 1_000 * freshMs(interval)',
    ],
    [
      'one-lost-packet',
      'one lost packet counts for a check that wants three failures',
      DECIDE,
      'Math.max(Math.min(failures, 2), Math.ceil(failures / majority))',
      'Math.ceil(failures / vantages)',
    ],
  ]),
  ...faults('unit', LINES, [
    [
      'no-share',
      'each name server sends two probes a second',
      'src/base/probes/lines.ts',
      'freeAt + this.#apartMs()',
      'freeAt + ADDRESS_MS',
    ],
    [
      'always-lead',
      'retries do not count for the probes of an address',
      'src/base/probes/lines.ts',
      'const freeAt = Math.max(now, this.#freeAt.get(target.address) ?? 0);',
      'const freeAt = now;',
    ],
  ]),
  ...faults('unit', NODE, [
    [
      'scan',
      'an api can make a node probe its private network',
      TARGETS,
      'return mayProbe(address, definition);',
      'return mayProbe(address, definition)?.includes("PORTS") ? "no" : null;',
    ],
    [
      'own',
      'a node probes its own addresses',
      TARGETS,
      'own.has(address) && !isListed(address)',
      'own.has(address) && isListed(address)',
    ],
    [
      'unsure',
      'a node votes for the state of the list without a probe',
      TARGETS,
      'const state = provenState(target.track, target.definition);',
      'const state = provenState(target.track, target.definition) ?? (target.track.state as "Healthy");',
    ],
    ['stale', 'a vote without new probes counts', TARGETS, 'now > target.probedAt + lastMs', 'now < target.probedAt'],
    [
      'lost-vote',
      'a vote that changes during a report is lost',
      TARGETS,
      'if (this.#news.get(vote.probe) === vote) this.#news.delete(vote.probe)',
      'this.#news.delete(vote.probe)',
    ],
    [
      'on-and-on',
      'a node that does not reach the api continues its probes',
      PROBER,
      'clock.now() < this.#acceptedAt + VOTES_LAST_MS',
      'this.#acceptedAt > 0',
    ],
    ['hasty', 'a node asks an older api each second', PROBER, '[401, 403, 404]', '[401, 403]'],
  ]),
  ...faults('integration', CHAIN, [
    [
      'many-votes',
      'a key has as many votes as nodes use it',
      STORE,
      'where v.node = excluded.node or not',
      "where v.node <> '' or not",
    ],
    [
      'revoked',
      'the name server of a revoked key votes',
      STORE,
      'and k.revoked_at is null and (k.expires_at',
      'and (k.expires_at',
    ],
    [
      'any-probe',
      'the api and name servers probe an address at the same time',
      'src/service/checks/checker.ts',
      'const isOurs = ({ decision }: ProbedTarget) => decision === null;',
      'const isOurs = () => true;',
    ],
    [
      'old-definition',
      'votes about the former definition of a check count',
      'src/service/checks/votes.ts',
      'voteByProbe.get(target.probe)',
      '[...voteByProbe.values()].find(({ address }) => address === target.address)',
    ],
    [
      'lost-answer',
      'a report whose answer was lost ends the session',
      'src/service/checks/observations.ts',
      '[part, votes.length === 0 ? part : part + 1]',
      '[part, part]',
    ],
  ]),
  ...faults(
    'integration',
    ['test/integration/nameserver/node/probes.test.ts'],
    [
      [
        'off',
        'a node whose settings turn the probes on does not probe',
        'src/nameserver/node/compose.ts',
        'config.ZONESTEAD_NODE_PROBES ? { prober } : {}',
        'config.ZONESTEAD_NODE_PROBES ? {} : { prober }',
      ],
    ],
  ),
];
