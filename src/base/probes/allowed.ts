// The addresses and ports that checks may reach, so that no tenant probes our own network through us. Pure.
import { publicAddresses } from '../public-address.ts';
import { type ProbeDefinition, portOf } from './definition.ts';

export interface PortRange {
  first: number;
  last: number;
}

/** @returns a sentence that says what is not allowed; null: the address may be probed */
export type MayProbe = (address: string, definition: Pick<ProbeDefinition, 'type' | 'port'>) => string | null;

/** @param networks those that may be probed although they are not public */
export function createMayProbe(networks: readonly string[], ports: readonly PortRange[]): MayProbe {
  const isAllowed = publicAddresses(networks);
  return (address, definition) => {
    if (!isAllowed(address))
      return 'The address is not public. To probe it, the administrator lists its network in ZONESTEAD_CHECK_NETWORKS.';
    const port = portOf(definition);
    if (ports.some(({ first, last }) => port >= first && port <= last)) return null;
    const list = ports.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join(', ');
    return `The port ${port} may not be probed: ZONESTEAD_CHECK_PORTS has ${list}.`;
  };
}
