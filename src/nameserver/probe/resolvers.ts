// Which recursive resolvers to ask where a question is not for a zone's own name servers. It must not know what is asked.
import { getServers } from 'node:dns';
import { isIP } from 'node:net';
import type { Endpoint } from './exchange.ts';

/** The resolvers that this machine is configured with. */
function systemResolvers(): Endpoint[] {
  return getServers().flatMap((text) => {
    if (isIP(text) !== 0) return [{ address: text, port: 53 }];
    const at = text.lastIndexOf(':');
    const address = text.slice(0, at).replace(/^\[|\]$/g, '');
    return isIP(address) === 0 ? [] : [{ address, port: Number(text.slice(at + 1)) }];
  });
}

/** The resolvers of a setting, or without one those of this machine. */
export function resolversOf(setting: readonly { host: string; port: number }[] | undefined): Endpoint[] {
  return setting?.map(({ host, port }) => ({ address: host, port })) ?? systemResolvers();
}
