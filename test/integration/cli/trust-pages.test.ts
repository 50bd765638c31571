// The commands of the pages about trusts, as a reader types them, with issuers that the test plays: their tokens have
// the claims that GitHub, GitLab, SPIRE and kube-apiserver document. The examples of workflows run as their runners run
// them.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { startControlPlane } from '../../../deploy/local/parts/controlplane.ts';
import { ensureControlPlane } from '../../../deploy/local/parts/controlplane-build.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { PROJECT } from '../../support/docs/document.ts';
import type { ScenarioName } from '../../support/docs/plan.ts';
import { walk } from '../../support/doors/walk.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { startTestService } from '../../support/service/service.ts';
import { playIssuer } from '../../support/tokens/issuer.ts';
import { issuerKey, seconds } from '../../support/tokens/keys.ts';

const service = await startTestService({ nameserver: false, settings: { ZONESTEAD_PDNS_API: 'on' } });
const platform = await service.key({ team: 'platform' });
await service.zone('example.com', platform);
const key = await issuerKey('one', 'RS256');
const [github, gitlab, login, bundle] = await Promise.all([key, key, key, key].map((each) => playIssuer([each])));
const run = promisify(execFile);
const times = () => ({ iat: seconds(), nbf: seconds(), exp: seconds() + 300 });

type Walk = Parameters<typeof walk>[1];

/** Types the commands of a page, in which `own` replaces the addresses. */
const type =
  (steps: ScenarioName) =>
  async (own: Record<string, string>, files: Record<string, string> = {}, more: Partial<Walk> = {}): Promise<void> => {
    const folder = await temporaryFolder('trusts-page');
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    await walk(steps, { service, folder, own: { 'https://dns.example.net': service.url, ...own }, ...more });
  };

/** Runs a script of an example as a runner does. @throws with its output, if it fails */
async function job(script: string, env: Record<string, string>): Promise<void> {
  await run('bash', ['-e', '-c', script], {
    env: { PATH: process.env.PATH ?? '', ZONESTEAD_URL: service.url, ...env },
  });
}

const example = async (name: string) => parse(await readFile(join(PROJECT, 'deploy/examples', name), 'utf8'));
const shop = async () => service.sql`select name, type, content from records where name = 'shop'`;
/** Deletes the record, so that the next job creates it. */
async function empty(): Promise<void> {
  const rrset = { name: 'shop.example.com.', type: 'A', changetype: 'DELETE' };
  const { status } = await fetch(`${service.url}/api/v1/servers/localhost/zones/example.com.`, {
    method: 'PATCH',
    headers: { 'x-api-key': platform.text },
    body: JSON.stringify({ rrsets: [rrset] }),
  });
  expect(status).toBe(204);
}

/** As GitHub documents the tokens of its jobs (OpenID Connect reference). */
const ofGithub = (change: Record<string, string> = {}) => ({
  iss: github?.terms.issuer,
  sub: 'repo:acme/shop:environment:production',
  aud: 'zonestead',
  repository: 'acme/shop',
  repository_id: '456789',
  repository_owner: 'acme',
  repository_owner_id: '123456',
  environment: 'production',
  ref: 'refs/heads/main',
  ref_protected: 'true',
  ref_type: 'branch',
  event_name: 'push',
  runner_environment: 'github-hosted',
  ...times(),
  ...change,
});

/** As GitLab documents the ID tokens of its jobs. */
const ofGitlab = (change: Record<string, string> = {}) => ({
  iss: gitlab?.terms.issuer,
  sub: 'project_path:acme/shop:ref_type:branch:ref:main',
  aud: 'zonestead',
  namespace_id: '68413579',
  namespace_path: 'acme',
  project_id: '46573356',
  project_path: 'acme/shop',
  ref: 'main',
  ref_type: 'branch',
  ref_protected: 'true',
  environment: 'production',
  environment_protected: 'true',
  pipeline_source: 'push',
  ...times(),
  ...change,
});

/** The part of GitHub's runner that gives tokens to a job. */
async function tokenService(token: string): Promise<string> {
  const server = createServer((request, response) => {
    const isRight =
      request.headers.authorization === 'Bearer runner' && request.url === '/?api-version=2.0&audience=zonestead';
    response.writeHead(isRight ? 200 : 403).end(JSON.stringify({ count: 1, value: token }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/?api-version=2.0`;
}

const RECORD = [{ name: 'shop', type: 'A', content: '192.0.2.10' }];

test('a workflow of GitHub changes its record, and one in another environment does not', async () => {
  await type('trust in GitHub')({
    'https://token.actions.githubusercontent.com': `${github?.terms.issuer} --private-addresses`,
  });
  const { jobs, permissions } = await example('pipelines/github-actions.yaml');
  expect(permissions).toMatchObject({ 'id-token': 'write' });
  const { environment, steps } = jobs.dns;
  const start = async (claims: object) =>
    job(steps[0].run, {
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'runner',
      ACTIONS_ID_TOKEN_REQUEST_URL: await tokenService(await key.sign({ ...claims })),
    });
  await empty();
  await expect(start(ofGithub({ environment: 'staging' }))).rejects.toThrow();
  await expect(start(ofGithub({ repository_id: '456790' }))).rejects.toThrow();
  expect(await shop()).toEqual([]);
  await start(ofGithub({ environment }));
  expect(await shop()).toEqual(RECORD);
});

test('a job of GitLab changes its record, and one of a fork does not', async () => {
  await type('trust in GitLab')({ 'https://gitlab.com': `${gitlab?.terms.issuer} --private-addresses` });
  const { dns } = await example('pipelines/gitlab-ci.yaml');
  const start = async (claims: ReturnType<typeof ofGitlab>) =>
    job(dns.script.join('\n'), {
      ZONESTEAD_TOKEN: await key.sign({ ...claims, aud: dns.id_tokens.ZONESTEAD_TOKEN.aud }),
    });
  await empty();
  await expect(start(ofGitlab({ project_id: '99' }))).rejects.toThrow();
  await expect(start(ofGitlab({ ref_protected: 'false' }))).rejects.toThrow();
  expect(await shop()).toEqual([]);
  await start(ofGitlab({ environment: dns.environment }));
  expect(await shop()).toEqual(RECORD);
});

test('a workload uses its JWT-SVID', async () => {
  const svid = { sub: 'spiffe://example.org/ns/shop/sa/dns', aud: ['zonestead'], exp: seconds() + 300 };
  const own = { 'https://bundle.example.org': `${bundle?.jwksUrl} --private-addresses` };
  await type('trust in SPIFFE')(own, { token: await key.sign(svid) });
});

test('the holder of an OpenID token uses it, and a command says which trust accepts it', async () => {
  const about = { iss: login?.terms.issuer, sub: 'robot-7', aud: 'zonestead', groups: ['staff', 'dns'], ...times() };
  await type('trust in an OpenID issuer')(
    {
      '--issuer https://login.example.org': `--issuer ${login?.terms.issuer} --private-addresses`,
      'https://login.example.org': login?.terms.issuer ?? '',
    },
    { token: await key.sign(about) },
  );
});

test('a pod changes the name of its namespace with a token of kube-apiserver', async () => {
  const { signal } = new AbortController();
  const stateDir = await temporaryFolder('trusts-kube');
  const { dir } = await ensureControlPlane({ progress: () => undefined, signal });
  const ports = await allocatePorts(
    (['etcd', 'etcdPeer', 'apiserver'] as const).map((name) => ({ name })),
    { stateDir },
  );
  const plane = await startControlPlane({ dir, stateDir, ports, signal });
  try {
    const program = join(dir, 'kubectl');
    const kubectl = async (...args: string[]) =>
      (await run(program, [`--kubeconfig=${plane.kubeconfig}`, ...args])).stdout;
    await kubectl('create', 'namespace', 'shop');
    await kubectl('create', 'serviceaccount', 'dns', '--namespace', 'shop');
    const { issuer } = JSON.parse(await kubectl('get', '--raw', '/.well-known/openid-configuration'));
    await empty();
    const programs = { kubectl: [program] };
    await type('trust in a cluster')({ ISSUER: issuer }, {}, { programs, env: { KUBECONFIG: plane.kubeconfig } });
    expect(await shop()).toEqual(RECORD);
  } finally {
    await plane.stop();
  }
}, 300_000);
