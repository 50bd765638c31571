// A small release for tests: three images of one file each, nameserver for two platforms, bills of materials, a command
// line of a few words, the real chart, and keys.
import { generateKeyPairSync } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { archiveImage } from '../../../deploy/image/image.ts';
import { IMAGES, type ImageName, projectVersion } from '../../../deploy/image/images.ts';
import { ensureTools } from '../../../deploy/local/parts/apt.ts';
import type { Architecture } from '../../../deploy/local/parts/architecture.ts';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import type { BuiltRelease } from '../../../deploy/release/publish.ts';
import { CHART } from '../chart/chart.ts';

const { signal } = new AbortController();
const progress = () => {};

/** @param text the content of the images */
export async function smallRelease(folder: string, text: string): Promise<BuiltRelease> {
  await mkdir(folder, { recursive: true });
  const images: BuiltRelease['images'] = [];
  for (const name of Object.keys(IMAGES) as ImageName[]) {
    const plan = (architecture: Architecture) => ({
      name: `zonestead/${name}:1`,
      architecture,
      layers: [{ name, rootfs: async () => new Map([['content', { text: `${name} ${architecture} ${text}` }]]) }],
      config: { User: '1:1', Entrypoint: ['/content'], Env: [], WorkingDir: '/', Labels: {} },
    });
    const more = name === 'nameserver' ? [plan('arm64')] : [];
    const archive = await archiveImage([plan('x64'), ...more], join(folder, `${name}.tar`), { progress, signal });
    const bills: Partial<Record<Architecture, string>> = {};
    for (const { architecture } of archive.images) {
      const bill = join(folder, `${name}-${architecture}.cdx.json`);
      const components = [{ name, version: architecture }];
      await writeFile(bill, JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.5', components }));
      bills[architecture] = bill;
    }
    images.push({ name, tag: projectVersion(), archive, bills });
  }
  const commandLine = { folder: join(folder, 'cli'), files: ['zonestead', 'zonestead.tgz'], tag: projectVersion() };
  await mkdir(commandLine.folder, { recursive: true });
  for (const file of commandLine.files) await writeFile(join(commandLine.folder, file), `${file} ${text}`);
  return { images, commandLine, chart: CHART };
}

/** An EC key pair as openssl makes it: files `<name>.key` and `<name>.pub`. */
export async function signingKeys(folder: string, name: string, passphrase?: string): Promise<[string, string]> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const files: [string, string] = [join(folder, `${name}.key`), join(folder, `${name}.pub`)];
  const encrypted = passphrase === undefined ? {} : { cipher: 'aes-256-cbc', passphrase };
  await writeFile(files[0], privateKey.export({ type: 'pkcs8', format: 'pem', ...encrypted }));
  await writeFile(files[1], publicKey.export({ type: 'spki', format: 'pem' }));
  return files;
}

/** A key of gpg, exported: its secret half, its public half. */
export async function chartKeys(folder: string, signer: string): Promise<[string, string]> {
  const { gpg = '', gpgconf = '' } = await ensureTools(
    [
      { command: 'gpg', package: 'gpg' },
      { command: 'gpgconf', package: 'gpgconf' },
      { command: 'gpg-agent', package: 'gpg-agent' },
    ],
    { progress, signal },
  );
  const home = join(folder, 'gnupg');
  await mkdir(home, { mode: 0o700 });
  const env = { ...process.env, GNUPGHOME: home };
  const run = async (command: string, ...args: string[]) => {
    const { code, tail } = await runCommand({ command, args, env, timeoutMs: 120_000, signal });
    if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${tail}`);
  };
  const files: [string, string] = [join(folder, 'chart-secret.gpg'), join(folder, 'chart-public.gpg')];
  try {
    await run(gpg, '--batch', '--passphrase', '', '--quick-generate-key', signer, 'ed25519', 'sign', 'never');
    await run(gpg, '--batch', '--output', files[0], '--export-secret-keys', signer);
    await run(gpg, '--batch', '--output', files[1], '--export', signer);
  } finally {
    await run(gpgconf, '--kill', 'gpg-agent');
  }
  return files;
}
