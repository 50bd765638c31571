// Our REST API as a side of a comparison of writes.
import { type Call, insist } from './calls.ts';
import { numberedAddress } from './support.ts';
import { countNames, type Side } from './writes.ts';

export function ourSide(call: Call, owner: string): Side {
  const create = (zone: string, name: string, content: string) =>
    call('POST', `/v1/dns/zones/${zone}/records`, { name, type: 'A', content, ttl: 300 });
  return {
    name: 'Zonestead',
    createZone: async (zoneName) => JSON.parse(await insist(call('POST', '/v1/dns/zones', { zoneName, owner }))).id,
    create: async (zone, name, content) => (await create(zone, name, content)).status,
    fill: async (zone, count) => {
      let next = 0;
      const worker = async () => {
        for (let n = next++; n < count; n = next++) await insist(create(zone, `old${n}`, numberedAddress(n)));
      };
      await Promise.all(Array.from({ length: 8 }, worker));
    },
    list: async (zone) => {
      const { records } = JSON.parse(await insist(call('GET', `/v1/dns/zones/${zone}/records`)));
      return countNames((records as { name: string }[]).map(({ name }) => name));
    },
  };
}
