// Registries that refuse a release: each ends in a sentence that says what to do, before anything is built.
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { publish, type ReleaseOptions } from '../../../../deploy/release/publish.ts';
import { startRegistry, type TestRegistry } from '../../../support/release/registry.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const { signal } = new AbortController();
let folder: string;
let registry: TestRegistry;
let plain: TestRegistry;
/** Answers every request as a registry whose user may not do that (OCI distribution specification, "Error Codes"). */
const forbidding = createServer((_request, response) => {
  response.writeHead(403, { 'content-type': 'application/json' });
  response.end('{"errors":[{"code":"DENIED","message":"requested access to the resource is denied"}]}');
});

beforeAll(async () => {
  folder = await temporaryFolder('refused');
  registry = await startRegistry({ folder: await temporaryFolder('registry'), login: true });
  plain = await startRegistry({ folder: await temporaryFolder('registry'), plainHttp: true });
  await new Promise<void>((resolve) => forbidding.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  forbidding.close();
  await registry?.stop();
  await plain?.stop();
});

const build = vi.fn();
async function words(options: ReleaseOptions): Promise<string> {
  const failed = await publish(options, build, join(folder, 'out'), () => {}, signal).catch((error: Error) => error);
  expect(build).not.toHaveBeenCalled();
  return (failed as Error).message.replaceAll(/localhost:\d+/g, 'HOST');
}
const doing = /^looking at HOST\/dns\/zonestead:\S+ failed: /;

test('the refusal of a registry that wants a login says how to log in', async () => {
  // A file without a login: skopeo would otherwise look for one at home.
  const authFile = join(folder, 'empty.json');
  await writeFile(authFile, '{}');
  const caFile = registry.authority.certificateFile;
  const message = await words({ registry: `${registry.host}/dns`, caFile, authFile });
  expect(message).toMatch(doing);
  expect(message).toContain(
    'HOST wants a login (401). Log in with "skopeo login --authfile ~/.docker/config.json HOST"',
  );
});

test('the refusal of a registry that does not know the login asks for one', async () => {
  const authFile = join(folder, 'wrong.json');
  const auth = Buffer.from('tester:wrong').toString('base64');
  await writeFile(authFile, JSON.stringify({ auths: { [registry.host]: { auth } } }));
  const caFile = registry.authority.certificateFile;
  expect(await words({ registry: `${registry.host}/dns`, caFile, authFile })).toContain('HOST wants a login (401)');
});

test('the refusal of a registry that forbids the login names the right to push', async () => {
  const { port } = forbidding.address() as AddressInfo;
  const message = await words({ registry: `localhost:${port}/dns`, plainHttp: true });
  expect(message).toContain('HOST refuses this login (403). The login needs the right to push to this path');
});

test('the failure at a registry whose certificate is not trusted names --ca-file', async () => {
  const message = await words({ registry: `${registry.host}/dns`, authFile: registry.authFile });
  expect(message).toContain('the certificate of HOST is not trusted. Add --ca-file');
});

test('the failure at a registry without TLS names --plain-http', async () => {
  const message = await words({ registry: `${plain.host}/dns` });
  expect(message).toContain('HOST speaks HTTP without TLS. Give it a certificate, or add --plain-http');
});

test('the failure at a registry that is down says what to check', async () => {
  const down = await startRegistry({ folder: await temporaryFolder('registry'), plainHttp: true });
  await down.stop();
  const message = await words({ registry: `${down.host}/dns`, plainHttp: true });
  expect(message).toContain('HOST does not answer. Check its address and that it is running');
});
