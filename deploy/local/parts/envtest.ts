// Prebuilt Kubernetes programs (etcd, kube-apiserver, kubectl) of the project controller-tools. They replace a build of
// minutes where the network allows it. The version and the digest of each archive are here, so no server decides which
// programs run.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cached, cacheKey, type Progress } from './cache.ts';
import { runCommand } from './commands.ts';
import { type DownloadLimits, downloadPinned } from './pinned-download.ts';

/** The newest archive for the minor version of deploy/local/controlplane. */
const VERSION = '1.36.2';
/** SHA-512 by platform, from envtest-releases.yaml of controller-tools. */
const DIGESTS: Readonly<Record<string, string>> = {
  'linux-amd64':
    'ea743186c8a799f5cf8faf16969f86189d003cb7d130e0ac4b58789f1e5748dcf30ebe91c837a10d5ac415383da3e10b9e64d65785c938c23e739781cfb76f08',
  'linux-arm64':
    '2d72ee985a8e262a3c57dc9f7f0fd891f6a8c7bf7ebaa2db6dc6d8eac8ae28181afe51c1f368b67756cdb40b10de9b205609e1726e5f27f7c6d824dd9c6649ac',
};
/** The address of the archives, without their names. */
export const ENVTEST_ARCHIVES = `https://github.com/kubernetes-sigs/controller-tools/releases/download/envtest-v${VERSION}`;
const UNPACK_LIMIT_MS = 5 * 60_000;

export interface EnvtestOptions {
  /** The address of a mirror, without the name of the archive. (Default: ENVTEST_ARCHIVES.) */
  archives?: string | undefined;
  /** The folder of the cache. (Default: cacheRoot().) */
  root?: string | undefined;
  /** SHA-512 of each archive, by platform. (Default: those of the version that is pinned here.) */
  digests?: Readonly<Record<string, string>>;
  /** (Default: an answer in 5 s, more of the archive every 10 s.) */
  limits?: DownloadLimits;
  progress: Progress;
  signal: AbortSignal;
}

/**
 * The folder of the prebuilt programs, downloaded at the first call.
 * @throws Error within seconds when the network refuses or hangs; also for a platform without an archive, and for an
 * archive with another digest
 */
export async function ensureEnvtest(options: EnvtestOptions): Promise<string> {
  const { archives = ENVTEST_ARCHIVES, root, digests = DIGESTS, limits, progress, signal } = options;
  const platform = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  const digest = digests[platform];
  if (digest === undefined) throw new Error(`no archive of Kubernetes ${VERSION} exists for ${platform}`);
  return cached({
    name: 'envtest',
    key: cacheKey({ digest }),
    ...(root === undefined ? {} : { root }),
    progress,
    signal,
    fill: async (folder) => {
      const url = `${archives.replace(/\/$/, '')}/envtest-v${VERSION}-${platform}.tar.gz`;
      progress(`downloading Kubernetes ${VERSION} from ${url}`);
      const archive = join(folder, 'archive.tar.gz');
      const file = { url, algorithm: 'sha512', digest, pinnedIn: 'deploy/local/parts/envtest.ts' } as const;
      await downloadPinned(file, archive, { ...(limits === undefined ? {} : { limits }), progress, signal });
      const args = ['--extract', '--gzip', '--file', archive, '--strip-components=2', '-C', folder];
      const { code, tail } = await runCommand({ command: 'tar', args, timeoutMs: UNPACK_LIMIT_MS, signal });
      if (code !== 0) throw new Error(`tar failed:\n${tail}`);
      await rm(archive);
    },
  });
}
