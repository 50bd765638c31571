// Signs published images, command line and chart, and their bills of materials, by cosign with a key.
//
// Signatures are in the registry under tags that contain the digest of the image, and in no transparency log. cosign 3
// prefers bundles that refer to the image, but older versions of cosign and many verifiers in clusters do not read
// these. That the flags for tags are deprecated does no harm, because the version of cosign is pinned.
import { type KeyObject, randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rm, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Progress } from '../local/parts/cache.ts';
import { type RunOptions, type RunResult, runCommand } from '../local/parts/commands.ts';
import { ensureCosign } from './cosign.ts';
import { refusal } from './refusals.ts';
import type { Access, Registry } from './registry.ts';

const LIMIT_MS = 5 * 60_000;
const BY_TAG = ['--new-bundle-format=false'];
const WITHOUT_SERVICES = ['--yes', '--use-signing-config=false', '--tlog-upload=false'];
const BILL_TYPE = ['--type', 'cyclonedx'];

export interface Published {
  /** With its host. */
  repository: string;
  tag: string;
  /** sha256:… */
  digest: string;
  /** The file of its bill of materials. */
  bill?: string | undefined;
}

export interface Signer {
  /**
   * Adds a signature, and the signed bill of materials if there is one, unless the registry has them by this key.
   * @throws Error that says what to do, when the registry refuses
   */
  sign(published: Published): Promise<void>;
}

/**
 * @param folder for temporary files; the caller deletes it
 * @throws Error when cosign cannot be built
 */
export async function openSigner(
  key: KeyObject,
  { host }: Pick<Registry, 'host'>,
  { authFile, caFile, plainHttp = false }: Access,
  folder: string,
  { progress, signal }: { progress: Progress; signal: AbortSignal },
): Promise<Signer> {
  const command = await ensureCosign({ progress, signal });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (authFile !== undefined) await symlink(resolve(authFile), join(folder, 'config.json'));
  const env = {
    ...withoutCosign(process.env),
    ...(authFile === undefined ? {} : { DOCKER_CONFIG: folder }),
    COSIGN_PASSWORD: randomBytes(16).toString('hex'),
  };
  const run = (args: readonly string[], more: Pick<RunOptions, 'stdin'> = {}) =>
    runCommand({ command, args, env, ...more, timeoutMs: LIMIT_MS, signal });
  const files = await importKey(key, join(folder, 'release'), run);
  const access = [
    ...(caFile === undefined ? [] : ['--registry-cacert', caFile]),
    ...(plainHttp ? ['--allow-http-registry'] : []),
  ];
  const must = async (doing: string, args: readonly string[]) => {
    const { code, tail } = await run(args);
    if (code !== 0) throw refusal(tail, doing, host);
  };
  const signing = [...WITHOUT_SERVICES, ...BY_TAG, '--key', files.private, ...access];
  const verifying = ['--insecure-ignore-tlog=true', ...BY_TAG, '--key', files.public, ...access];
  /** Each attestation has other bytes, even by the same key: cosign would add another one at each run. */
  const isAttested = async (image: string, bill: string) => {
    const { code, out } = await run(['verify-attestation', ...verifying, ...BILL_TYPE, image]);
    const wanted: unknown = JSON.parse(await readFile(bill, 'utf8'));
    // If the registry did not answer, the attestation fails too, and says so.
    return code === 0 && out.split('\n').some((line) => isDeepStrictEqual(readPredicate(line), wanted));
  };
  return {
    sign: async ({ repository, tag, digest, bill }) => {
      const image = `${repository}@${digest}`;
      // Podman and CRI-O compare this name with the one that a pod names.
      const name = ['--sign-container-identity', `${repository}:${tag}`];
      await must(`signing ${image}`, ['sign', ...signing, ...name, image]);
      progress('  signed');
      if (bill === undefined) return;
      const isThere = await isAttested(image, bill);
      if (!isThere) await must(`attesting ${image}`, ['attest', ...signing, ...BILL_TYPE, '--predicate', bill, image]);
      progress(`  its signed bill of materials ${isThere ? 'is there already' : 'pushed'}`);
    },
  };
}

/** Variables of a user could choose another place or another form of signatures. */
function withoutCosign(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(COSIGN|SIGSTORE)_/.test(name)));
}

type Run = (args: readonly string[], more: Pick<RunOptions, 'stdin'>) => Promise<RunResult>;

/** cosign reads a key only in its own format. The plain key passes through a file without a name. */
async function importKey(key: KeyObject, prefix: string, run: Run): Promise<{ private: string; public: string }> {
  const plain = await open(`${prefix}.pem`, 'wx+', 0o600);
  try {
    await rm(`${prefix}.pem`);
    await plain.writeFile(key.export({ type: 'pkcs8', format: 'pem' }));
    const args = ['import-key-pair', '--yes', '--key', '/dev/stdin', '--output-key-prefix', prefix];
    const { code, tail } = await run(args, { stdin: plain.createReadStream({ autoClose: false }) });
    if (code !== 0) throw new Error(`cosign does not read the key of --sign-key:\n${tail}`);
  } finally {
    await plain.close();
  }
  return { private: `${prefix}.key`, public: `${prefix}.pub` };
}

/** @param line an envelope (DSSE) with a statement, or an empty line */
function readPredicate(line: string): unknown {
  if (line === '') return undefined;
  const { payload } = JSON.parse(line) as { payload: string };
  return (JSON.parse(Buffer.from(payload, 'base64').toString()) as { predicate: unknown }).predicate;
}
