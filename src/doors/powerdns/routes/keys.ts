// The DNSSEC keys and the metadata of a zone in the PowerDNS API. The service makes keys and rolls them; requests that
// would change them are refused.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { algorithmName, keyBits } from '#dns/dnssec/algorithms.ts';
import { CSK_FLAGS } from '#dns/dnssec/signing-key.ts';
import { requireActor } from '#http/hooks/auth.ts';
import type { ServiceContext } from '#service/context.ts';
import { readZoneKeys, type ZoneKeyView } from '#service/key-rolls/view.ts';
import { refusal } from '#service/refusal.ts';
import type { ZoneView } from '#service/zones/view.ts';
import { sendJson } from '../answers.ts';
import { refused } from '../read-fields.ts';
import { findRequestedZone } from './zones.ts';

export function keyRoutes(app: FastifyInstance, context: ServiceContext): void {
  const keys = '/zones/:zone/cryptokeys';
  const readKeys = async (request: FastifyRequest) => {
    const zone = await findRequestedZone(context, request);
    const view = await readZoneKeys(context, requireActor(request), zone.id);
    return view.keys.map((key, index) => cryptokey(index + 1, key, zone));
  };
  app.get(keys, async (request, reply) => sendJson(reply, await readKeys(request)));
  app.get<{ Params: { key: string } }>(`${keys}/:key`, async (request, reply) => {
    const key = (await readKeys(request)).find(({ id }) => request.params.key === String(id));
    if (key !== undefined) return sendJson(reply, key);
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
        throw refused(
          'A zone is signed from its creation with a key that the service makes and keeps. "zonestead zones keys roll" replaces it.',
        );
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

/** @param zone the DS records that its parent should have */
function cryptokey(id: number, { keyTag, algorithm, state, dnskey }: ZoneKeyView, zone: Pick<ZoneView, 'ds'>) {
  const ofKey = zone.ds.filter((ds) => ds.keyTag === keyTag && ds.algorithm === algorithm);
  const digests = ofKey.map(({ digestType, digest }) => ({
    digestType,
    text: `${keyTag} ${algorithm} ${digestType} ${digest}`,
  }));
  return {
    active: state === 'active' || state === 'presigning' || state === 'postsigning',
    algorithm: algorithmName(algorithm),
    bits: keyBits(algorithm, Buffer.from(dnskey.split(' ')[3] ?? '', 'base64')),
    // The name servers publish a CDS record with SHA-256.
    cds: digests.filter(({ digestType }) => digestType === 2).map(({ text }) => text),
    dnskey,
    ds: digests.map(({ text }) => text),
    flags: CSK_FLAGS,
    id,
    keytype: 'csk',
    published: state !== 'presigning' && state !== 'postsigning',
    type: 'Cryptokey',
  };
}
