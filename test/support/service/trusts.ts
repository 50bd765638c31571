// Teams with trusts: a service that accepts the tokens of one issuer, and teams whose members create trusts over HTTP.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { ensureTrust, type WantedTrust } from '#service/credentials/ensure-trust.ts';
import { issuerKey, seconds } from '../tokens/keys.ts';
import { accountApi, addPerson } from './people.ts';
import { startTestService } from './service.ts';

export const CLUSTER = 'https://kubernetes.default.svc';
export const GITHUB = 'https://token.actions.githubusercontent.com';
export const NAMESPACE = `\${namespace}`;

export const addressRecord = (name: string, content = '192.0.2.1') => ({ name, type: 'A', content, ttl: 300 });

/** A service in which the trust `everyone` of the team `first` gives each namespace of a cluster its own names. */
export async function startTokenService() {
  const service = await startTestService({ nameserver: false, settings: { ZONESTEAD_PDNS_API: 'on' } });
  const key = await issuerKey('one');
  const zone = await service.zone('tokens.example');
  const owner = await addPerson(service, { team: 'first' });
  const ensure = async (terms: Partial<WantedTrust['terms']>, team = 'first') => {
    const base = { issuer: CLUSTER, match: { 'kubernetes.io': { namespace: '*' } }, records: 'write' as const };
    const keySource = { kind: 'pinned' as const, jwks: { keys: [key.jwk as Record<string, unknown>] } };
    const wanted = { name: `trust ${randomBytes(4).toString('hex')}`, ...base, keySource, ...terms };
    return (await ensureTrust(service.database.url, { team, terms: wanted }, randomBytes, new Date())).trustId;
  };
  const buildClaims = (
    namespace: string,
    account = 'web',
    change: object = {},
    uid = `uid-${namespace}-${account}`,
  ) => ({
    iss: CLUSTER,
    sub: `system:serviceaccount:${namespace}:${account}`,
    aud: ['zonestead'],
    iat: seconds(),
    exp: seconds() + 600,
    'kubernetes.io': { namespace, serviceaccount: { name: account, uid } },
    ...change,
  });
  const signToken = (...of: Parameters<typeof buildClaims>) => key.sign(buildClaims(...of));
  const write = (token: string, name: string, type = 'A') => {
    const content = type === 'A' ? '192.0.2.1' : '"x"';
    return service.request('POST', `/zones/${zone.id}/records`, { ...addressRecord(name), type, content }, token);
  };
  const everyone = await ensure({ name: 'cluster', onlyNames: [`*.${NAMESPACE}`, NAMESPACE], recordWrites: 1_000 });
  return { service, key, zone, owner, ensure, claimsOf: buildClaims, tokenOf: signToken, write, everyone };
}

/** A service with the team `red`, whose member creates trusts, and a person of another team. */
export async function startTrustTeams() {
  const service = await startTestService({ nameserver: false });
  const { send } = accountApi(service);
  const owner = await addPerson(service, { team: 'red' });
  const member = await addPerson(service, { team: 'red', role: 'member' });
  const stranger = await addPerson(service, { team: 'blue' });
  const trusts = `/teams/${owner.team}/trusts`;
  const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
  const create = async (terms: object = {}) => {
    const match = { repository: 'acme/infrastructure' };
    const reply = await send(member, 'POST', trusts, { name: 'deployments', issuer: GITHUB, match, ...terms });
    expect(reply.status, reply.text).toBe(201);
    return reply.body as { id: string };
  };
  const pinned = { kind: 'pinned', jwks: { keys: [{ ...jwk, kid: 'one' }] } };
  return { service, send, owner, member, stranger, trusts, jwk, pinned, create };
}
