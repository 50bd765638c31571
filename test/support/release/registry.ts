// A real registry (Debian's docker-registry) with TLS on a port of localhost, on demand with a login.
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, fetch } from 'undici';
import { stringify } from 'yaml';
import { ensureTools } from '../../../deploy/local/parts/apt.ts';
import { type Credential, ensureAuthority, ensureCertificate } from '../../../deploy/local/parts/certificates.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { startReady } from '../../../deploy/local/parts/process.ts';

const READY_LIMIT_MS = 120_000;
/** The registry reads bcrypt only; `htpasswd -nbB tester a-password` wrote this line. */
const LOGIN = 'tester:$2y$05$GbfCTyTNWbWr53K24ueiGe9aMbfeTYCz0618729lfLEtZbYH2fTpy';

export interface TestRegistry {
  /** With its port. */
  host: string;
  authority: Credential;
  /** A file in the form of docker's config.json, with a login that is accepted. */
  authFile: string;
  /** Everything that was pushed: paths of manifests, tags and blobs, without uploads that did not end. */
  contents(): Promise<string[]>;
  stop(): Promise<void>;
}

export interface RegistryOptions {
  /** Exists and is empty. */
  folder: string;
  login?: boolean;
  /** (Default: TLS.) */
  plainHttp?: boolean;
  /** The address at which it listens. (Default: localhost.) */
  address?: string;
}

/** @throws Error when docker-registry is missing and cannot be installed, or with its log when it does not start */
export async function startRegistry({
  folder,
  login = false,
  plainHttp = false,
  address = 'localhost',
}: RegistryOptions): Promise<TestRegistry> {
  const { signal } = new AbortController();
  await ensureTools([{ command: 'docker-registry', package: 'docker-registry' }], { progress: () => {}, signal });
  const authority = await ensureAuthority({ dir: folder, name: 'authority', commonName: 'registry of a test' });
  const server = { dir: folder, name: 'server', commonName: address, hosts: [address] };
  const { certificateFile, keyFile } = await ensureCertificate({ ...server, authority });
  const { port } = await allocatePorts([{ name: 'port' }], { stateDir: folder });
  const storage = join(folder, 'storage');
  await mkdir(storage);
  await writeFile(join(folder, 'htpasswd'), `${LOGIN}\n`);
  const tls = plainHttp ? {} : { tls: { certificate: certificateFile, key: keyFile } };
  const configuration = {
    version: 0.1,
    log: { level: 'error', accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: storage } },
    http: { addr: `${address === 'localhost' ? '127.0.0.1' : address}:${port}`, ...tls },
    ...(login ? { auth: { htpasswd: { realm: 'test', path: join(folder, 'htpasswd') } } } : {}),
  };
  await writeFile(join(folder, 'config.yaml'), stringify(configuration));
  const dispatcher = new Agent({ connect: { ca: authority.certificate } });
  const host = `${address}:${port}`;
  const part = await startReady(
    {
      name: 'docker-registry',
      command: 'docker-registry',
      args: ['serve', join(folder, 'config.yaml')],
      logFile: join(folder, 'registry.log'),
    },
    (limit) =>
      fetch(`${plainHttp ? 'http' : 'https'}://${host}/v2/`, { dispatcher, signal: limit }).then(
        ({ status }) => status === (login ? 401 : 200),
        () => false,
      ),
    { what: 'docker-registry', timeoutMs: READY_LIMIT_MS, intervalMs: 50, signal },
  );
  await dispatcher.close();
  const authFile = join(folder, 'config.json');
  const auth = Buffer.from('tester:a-password').toString('base64');
  await writeFile(authFile, JSON.stringify({ auths: { [host]: { auth } } }));
  return {
    host,
    authority,
    authFile,
    contents: async () => {
      const entries = await readdir(storage, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
      return files.filter((file) => !file.includes('/_uploads/')).sort();
    },
    stop: () => part.stop(),
  };
}
