// The recursive resolvers for questions that a zone's own name servers cannot answer.
import { getServers } from 'node:dns';
import { isIP } from 'node:net';
import type { ProbeEndpoint } from './exchange.ts';

/** The resolvers in the configuration of this machine. */
function systemResolvers(): ProbeEndpoint[] {
  return getServers().flatMap((text) => {
    if (isIP(text) !== 0) return [{ address: text, port: 53 }];
    const at = text.lastIndexOf(':');
    const address = text.slice(0, at).replace(/^\[|\]$/g, '');
    return isIP(address) === 0 ? [] : [{ address, port: Number(text.slice(at + 1)) }];
  });
}

/** The resolvers of a setting, or those of this machine if there is none. */
export function chooseResolvers(setting: readonly { host: string; port: number }[] | undefined): ProbeEndpoint[] {
  return setting?.map(({ host, port }) => ({ address: host, port })) ?? systemResolvers();
}
