// The module community.general.nsupdate for Ansible. Collections are on no package registry that the tests use, but
// PyPI's package `ansible` contains this one: the few files that the module needs are taken out of it, once, into the
// cache.
import { readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cached, cacheKey, type Progress } from '../../../deploy/local/parts/cache.ts';
import { runCommand } from '../../../deploy/local/parts/commands.ts';

/** The package that contains the collection, with the digests of its files. */
const REQUIREMENTS = new URL('ansible.txt', import.meta.url).pathname;
/** The version of the collection in it. */
export const COMMUNITY_GENERAL_VERSION = '11.4.2';
const FOLDER = 'ansible_collections/community/general';
const FILES = ['MANIFEST.json', 'meta/runtime.yml', 'plugins/modules/nsupdate.py'].map((file) => `${FOLDER}/${file}`);
const LIMIT_MS = 10 * 60_000;
const TRIES = 3;
const PAUSE_MS = 5_000;

/**
 * A folder for ANSIBLE_COLLECTIONS_PATH. @param environment from ensurePythonTools, which has ansible-core
 * @throws Error with pip's last lines
 */
export async function ensureAnsibleModule(
  environment: string,
  progress: Progress,
  signal: AbortSignal,
): Promise<string> {
  const key = cacheKey({ package: readFileSync(REQUIREMENTS), files: FILES.join('\n') });
  return cached({ name: 'ansible-module', key, progress, signal, fill });

  async function fill(folder: string): Promise<void> {
    progress('downloading the collections of Ansible from PyPI: once, 55 MB');
    const download = join(folder, 'download');
    const pip = ['-m', 'pip', 'download', '--no-input', '--disable-pip-version-check', '--no-deps', '--no-cache-dir'];
    for (let tries = 1; ; tries += 1) {
      const { code, tail } = await python([
        ...pip,
        '--only-binary=:all:',
        '--dest',
        download,
        '--require-hashes',
        '-r',
        REQUIREMENTS,
      ]);
      if (code === 0) break;
      if (tries === TRIES) throw new Error(`pip failed ${TRIES} times; can this machine reach PyPI?\n${tail}`);
      await sleep(PAUSE_MS, undefined, { signal });
    }
    const script = [
      'import glob, sys, zipfile',
      'wheel = zipfile.ZipFile(glob.glob(sys.argv[1] + "/*.whl")[0])',
      'wheel.extractall(sys.argv[2], sys.argv[3:])',
    ];
    const unpacked = await python(['-c', script.join('\n'), download, folder, ...FILES]);
    if (unpacked.code !== 0) throw new Error(`the package of ${REQUIREMENTS} lacks a file:\n${unpacked.tail}`);
    await rm(download, { recursive: true });
    const manifest = JSON.parse(await readFile(join(folder, FOLDER, 'MANIFEST.json'), 'utf8'));
    const { version } = (manifest as { collection_info: { version: string } }).collection_info;
    if (version !== COMMUNITY_GENERAL_VERSION)
      throw new Error(
        `the package of ${REQUIREMENTS} has community.general ${version}: write it to COMMUNITY_GENERAL_VERSION`,
      );
  }

  function python(args: string[]) {
    const onLine = (line: string) => {
      if (/^(Downloading|WARNING|ERROR)/.test(line)) progress(`  ${line.slice(0, 160)}`);
    };
    return runCommand({ command: join(environment, 'bin/python'), args, onLine, timeoutMs: LIMIT_MS, signal });
  }
}
