// Faults in the rule that a proof omits name servers that answer nothing, and no others.
import type { Fault } from '../fault.ts';

const REACH = 'src/nameserver/probe/reach.ts';
const UNIT = ['test/unit/nameserver/reach.test.ts'];
const PROOF = ['test/unit/operator/unreachable.test.ts'];

const fault = (
  name: string,
  breaks: string,
  [file, find, replace]: readonly [string, string, string],
  tests: readonly string[] = UNIT,
): Fault => ({ name: `unreachable-${name}`, breaks, edits: [{ file, find, replace }], project: 'unit', tests });

export const UNREACHABLE_FAULTS: readonly Fault[] = [
  fault('wrong', 'a name server with a wrong answer is omitted', [
    REACH,
    'const since = isSilent ? unreachableSince(server) : null;',
    'const since = unreachableSince(server);',
  ]),
  fault('proven', 'a name server is omitted although only one other is right', [
    REACH,
    'const MIN_PROVEN = 2;',
    'const MIN_PROVEN = 1;',
  ]),
  fault('soon', 'a name server is omitted after a moment', [REACH, ' && this.#clock.now() - at >= UNREACHABLE_MS', '']),
  fault('lost', 'a name server is omitted after one lost query', [
    REACH,
    'const MIN_QUERIES = 3;',
    'const MIN_QUERIES = 1;',
  ]),
  fault('back', 'a name server that answers again stays omitted', [
    REACH,
    '      this.#silences.delete(key);\n      if',
    '      if',
  ]),
  fault('asked', 'each proof waits for the name server that is down', [
    REACH,
    'now - silence.askedAt < ASK_AGAIN_MS) return false',
    'now - silence.askedAt < 0) return false',
  ]),
  fault('forgotten', 'a name server that left the NS records is down without end', [
    REACH,
    'if (now - askedAt > FORGET_MS)',
    'if (now < 0)',
  ]),
  fault('bound', 'the prober remembers any number of addresses', [
    REACH,
    'if (this.#silences.size >= MAX_SILENT)',
    'if (MAX_SILENT < 0)',
  ]),
  fault('restored', 'an address that has answered is omitted at once when an old status says so', [
    REACH,
    'if (this.#answered.has(key) || this',
    'if (this',
  ]),
  fault(
    'tcp',
    'a name server that answers over UDP only counts as away',
    ['src/nameserver/probe/probe.ts', "isSilent: error.transport === 'udp'", 'isSilent: true'],
    ['test/unit/nameserver/probe.test.ts'],
  ),
  fault(
    'never',
    'one name server that is down stops the proofs of all zones',
    [
      'src/nameserver/probe/rounds.ts',
      "if (scope !== 'Reachable') return cordoned;",
      'if (date() !== null) return cordoned;',
    ],
    PROOF,
  ),
  fault(
    'all',
    'the setting that every address must answer has no effect',
    [
      'src/nameserver/probe/rounds.ts',
      "if (scope !== 'Reachable') return cordoned;",
      'if (scope === null) return cordoned;',
    ],
    PROOF,
  ),
  fault(
    'restart',
    'each restart of the operator takes Ready from zones whose name server is down',
    ['src/operator/zone/degraded.ts', 'reach.restore(name, address, since);', 'void [name, address, since];'],
    PROOF,
  ),
  fault(
    'untold',
    'no condition says that a name server is down',
    ['src/operator/zone/degraded.ts', 'if (note !== null)', 'if (note === "")'],
    PROOF,
  ),
];
