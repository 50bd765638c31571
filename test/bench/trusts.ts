// A request with a token of a trust, next to the same request with a key: `node test/bench/trusts.ts`. One writer takes
// turns in one run, so that both sides meet the same load of the machine. The results are the differences of the
// medians.
import { issuerKey, seconds } from '../support/tokens/keys.ts';
import { printBar } from './bars.ts';
import { type Call, caller, createAgent, insist } from './calls.ts';
import { cpuSeconds } from './processes.ts';
import { figure, quantile } from './statistics.ts';
import { type Bench, numberedAddress, print, printSummaries, runBench, startBenchService } from './support.ts';

const ROUNDS = 1_000;
const WARM_UP = 200;
const BLOCKS = 8;
const BLOCK = 250;
const LIMIT_MS = 5 * 60_000;
const MAX_MS = 0.3;
const ZONE = 'trusts.example';
const NAMESPACE = 'shop';
const SIDES = ['key', 'token'] as const;

async function run(bench: Bench): Promise<void> {
  const service = await startBenchService(bench);
  const agent = createAgent(bench);
  const { key, team } = service.keys.first;
  const call = (secret: string) =>
    caller(agent, service.url, { authorization: `Bearer ${secret}`, 'content-type': 'application/json' });
  const calls: Record<(typeof SIDES)[number], Call> = {
    key: call(key),
    token: call(await trustedToken(call(service.personKey), team)),
  };
  const made = await insist(calls.key('POST', '/v1/dns/zones', { zoneName: ZONE, owner: `org:${team}` }));
  const { id } = JSON.parse(made) as { id: string };
  const write = (side: (typeof SIDES)[number], n: number) =>
    calls[side]('POST', `/v1/dns/zones/${id}/records`, {
      name: `${side}${n}.${NAMESPACE}`,
      type: 'A',
      content: numberedAddress(n),
      ttl: 300,
    });
  const read = (side: (typeof SIDES)[number]) => calls[side]('GET', `/v1/dns/zones/${id}/records?limit=1`);
  const pids = Object.fromEntries(service.running.parts().map(({ name, pid }) => [name, pid as number]));
  await compare(bench, 'read', read);
  await compare(bench, 'write', write);
  await compareWork(bench, pids, read);
}

async function compare(
  { signal }: Bench,
  what: string,
  send: (side: (typeof SIDES)[number], n: number) => ReturnType<Call>,
): Promise<void> {
  const samples: Record<(typeof SIDES)[number], number[]> = { key: [], token: [] };
  for (let n = 0; n < WARM_UP + ROUNDS; n += 1) {
    signal.throwIfAborted();
    // The first request of a round follows a longer pause of the process.
    for (const side of n % 2 === 0 ? SIDES : SIDES.toReversed()) {
      const start = performance.now();
      await insist(send(side, n));
      if (n >= WARM_UP) samples[side].push(performance.now() - start);
    }
  }
  printSummaries({ [`${what} with a key`]: samples.key, [`${what} with a token`]: samples.token });
  const [withKey, withToken] = [quantile(samples.key, 0.5), quantile(samples.token, 0.5)];
  print(`ratio of the medians: ${figure(withToken / withKey)}`);
  printBar({
    what: `a ${what} with a token, more than with a key`,
    value: withToken - withKey,
    most: MAX_MS,
    unit: 'ms',
  });
}

/**
 * The processor time of the processes for one request, which other load of the machine changes less than the time of
 * the request.
 */
async function compareWork(
  { signal }: Bench,
  pids: Readonly<Record<string, number>>,
  send: (side: (typeof SIDES)[number]) => ReturnType<Call>,
): Promise<void> {
  const used: Record<(typeof SIDES)[number], Record<string, number>> = { key: {}, token: {} };
  for (let block = 0; block < 2 * BLOCKS; block += 1) {
    signal.throwIfAborted();
    const side = SIDES[block % 2] ?? 'key';
    const before = await cpuSeconds(pids);
    for (let n = 0; n < BLOCK; n += 1) await insist(send(side));
    const after = await cpuSeconds(pids);
    for (const name of ['api', 'postgres'])
      used[side][name] = (used[side][name] ?? 0) + (after[name] ?? 0) - (before[name] ?? 0);
  }
  for (const side of SIDES) {
    const times = Object.entries(used[side]).map(([name, s]) => `${name} ${figure((s * 1000) / BLOCKS / BLOCK)} ms`);
    print(`processor time of a read with a ${side}: ${times.join(', ')}`);
  }
}

/** A token of a service account, whose issuer the team trusts. */
async function trustedToken(asPerson: Call, team: string): Promise<string> {
  const issuer = 'https://cluster.example';
  const signer = await issuerKey('bench', 'RS256');
  await insist(
    asPerson('POST', `/v1/account/teams/${team}/trusts`, {
      name: 'bench',
      issuer,
      keySource: { kind: 'pinned', jwks: { keys: [signer.jwk] } },
      match: { 'kubernetes.io': { namespace: '*' } },
      records: 'write',
      onlyNames: [`*.\${namespace}`],
    }),
  );
  const account = { name: 'web', uid: '3f0c2a52-7a70-4a51-9a43-0c7f9a1b2c3d' };
  return await signer.sign({
    iss: issuer,
    sub: `system:serviceaccount:${NAMESPACE}:${account.name}`,
    aud: ['zonestead'],
    iat: seconds(),
    nbf: seconds(),
    exp: seconds() + 3_600,
    jti: '0b6f1a0e-52c1-4f43-b4ab-7f0c1d2e3f40',
    'kubernetes.io': { namespace: NAMESPACE, node: account, pod: account, serviceaccount: account },
  });
}

await runBench('A request with a token and with a key', LIMIT_MS, run);
