// Faults in the cordons of name servers that are planned to be down.
import type { Fault } from '../fault.ts';
import { noticedBy } from './fault.ts';

const byProof = noticedBy('cordon', 'test/unit/operator/unreachable.test.ts');
const byCommands = noticedBy('cordon', 'test/integration/cli/name-servers.test.ts');
const PLANNED = 'src/operator/proof/planned.ts';

export const CORDON_FAULTS: readonly Fault[] = [
  byCommands(
    'nodes-untold',
    'the command does not say that the nodes of a cordoned name server count',
    'src/cli/admin/nameservers.ts',
    "      'proofs still ask",
    "      '' && 'proofs still ask",
  ),
  byProof(
    'alone',
    'a proof without any right name server succeeds if all are cordoned',
    'src/nameserver/probe/reach.ts',
    'verdicts.some(({ server, ok }) => ok && !cordonedServers.has(server)) ? cordoned : []',
    'verdicts.length > 0 ? cordoned : []',
  ),
  byProof(
    'asks',
    'each proof waits for a cordoned name server',
    'src/nameserver/probe/rounds.ts',
    'uncordoned.length > 0 ? uncordoned : servers',
    'servers',
  ),
  byProof(
    'end',
    'a cordon never ends',
    PLANNED,
    'until > now',
    'until > now || now > until || until.getTime() === now.getTime()',
  ),
  byProof('address', 'a cordon of an address has no effect', PLANNED, ' || cordon.name === address', ''),
  byProof('node', 'a cordoned node stops proofs', PLANNED, '!names.has(node)', '!names.has(node.toUpperCase())'),
  byProof(
    'last-node',
    'a proof needs no node that has the change',
    PLANNED,
    'others.some(({ current }) => current) ? others : nodes',
    'others',
  ),
  byProof('away', 'cordons are forgotten while the api is down', PLANNED, 'if (nodes === null) return;', ''),
  byCommands(
    'known',
    'a typing error cordons nothing, and says nothing',
    'src/service/nodes/cordons.ts',
    'plainAddress(target) === null && !known.includes(target)',
    'plainAddress(target) === null && known.length < 0',
  ),
  byCommands(
    'days',
    'a cordon lasts for months',
    'src/service/nodes/cordons.ts',
    'seconds < MIN_SECONDS || seconds > MAX_SECONDS',
    'seconds < MIN_SECONDS',
  ),
];
