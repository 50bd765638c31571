// The signing key and the metadata of a zone in the PowerDNS API. A zone has one key from its creation, which the name
// servers use; requests that would change it are refused.
import type { FastifyInstance } from 'fastify';
import { dnskeyText } from '#dns/dnssec/signing-key.ts';
import type { ServiceContext } from '#service/context.ts';
import { refusal } from '#service/refusal.ts';
import type { NamedZone } from '#service/zones/lookup.ts';
import { sendJson } from '../answers.ts';
import { refused } from '../read-fields.ts';
import { findRequestedZone } from './zones.ts';

const KEY_ID = 1;

export function keyRoutes(app: FastifyInstance, context: ServiceContext): void {
  const keys = '/zones/:zone/cryptokeys';
  app.get(keys, async (request, reply) => sendJson(reply, [cryptokey(await findRequestedZone(context, request))]));
  app.get<{ Params: { key: string } }>(`${keys}/:key`, async (request, reply) => {
    const zone = await findRequestedZone(context, request);
    if (request.params.key === String(KEY_ID)) return sendJson(reply, cryptokey(zone));
    throw refusal('no-such-path', { method: 'GET', path: request.url.slice(0, 200) });
  });
  for (const [method, url] of [
    ['POST', keys],
    ['PUT', `${keys}/:key`],
    ['DELETE', `${keys}/:key`],
  ] as const) {
    app.route({
      method,
      url,
      handler: async (request) => {
        await findRequestedZone(context, request);
        throw refused('A zone is signed from its creation with one key, which the service makes and keeps.');
      },
    });
  }
  const metadata = '/zones/:zone/metadata';
  app.get(metadata, async (request, reply) => {
    await findRequestedZone(context, request);
    return sendJson(reply, []);
  });
  app.get<{ Params: { kind: string } }>(`${metadata}/:kind`, async (request, reply) => {
    await findRequestedZone(context, request);
    return sendJson(reply, { kind: request.params.kind, metadata: [], type: 'Metadata' });
  });
  for (const [method, url] of [
    ['POST', metadata],
    ['PUT', `${metadata}/:kind`],
    ['DELETE', `${metadata}/:kind`],
  ] as const) {
    app.route({
      method,
      url,
      handler: async (request) => {
        await findRequestedZone(context, request);
        throw refused('Zones of this service have no metadata.');
      },
    });
  }
}

function cryptokey({ publicKey, ds }: Pick<NamedZone, 'publicKey' | 'ds'>) {
  const digests = ds.map(({ keyTag, algorithm, digestType, digest }) => ({
    digestType,
    text: `${keyTag} ${algorithm} ${digestType} ${digest}`,
  }));
  return {
    active: true,
    algorithm: 'ECDSAP256SHA256',
    bits: 256,
    // The name servers publish a CDS record with SHA-256.
    cds: digests.filter(({ digestType }) => digestType === 2).map(({ text }) => text),
    dnskey: dnskeyText(publicKey),
    ds: digests.map(({ text }) => text),
    flags: 257,
    id: KEY_ID,
    keytype: 'csk',
    published: true,
    type: 'Cryptokey',
  };
}
