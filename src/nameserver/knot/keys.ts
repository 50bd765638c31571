// The signing keys of zones in Knot's key database, through `keymgr`. It takes one key at a time, so several run at
// once.
import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, unlinkSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { settleAll } from '#base/settle-all.ts';
import { algorithmName, readPublicKey, type SigningAlgorithm } from '#dns/dnssec/algorithms.ts';
import type { KeyState } from '#dns/dnssec/key-states.ts';
import { type PublicKey, readSigningKey } from '#dns/dnssec/signing-key.ts';
import type { EngineKey } from '../engine.ts';
import type { KnotFolder } from './folder.ts';
import { runMany } from './launcher.ts';
import { absolute } from './records.ts';
import { replaceFile } from './replace-file.ts';

export interface KeysOfZone {
  zone: string;
  keys: readonly EngineKey[];
}

export interface KeyStore {
  /**
   * Makes the keys the only ones that their zone uses. Others stay until `prune`: knotd removes the signatures of keys
   * that it knows.
   * @throws if keymgr fails, with its words
   */
  put(zone: KeysOfZone, signal: AbortSignal): Promise<void>;
  /** Deletes the other keys of the zone with their files. @throws as put */
  prune(zone: KeysOfZone, signal: AbortSignal): Promise<void>;
  /** The private key with an id, in PEM. Secret. @throws Error if its file is missing or damaged */
  read(id: string): Promise<string>;
  /** The key ids of a zone, which are their files' names. */
  list(zone: string, signal: AbortSignal): Promise<string[]>;
  /**
   * Imports the keys of zones that have none. Every import has ended when it returns.
   * @throws as put, for the first that failed
   */
  add(zones: readonly KeysOfZone[], signal: AbortSignal): Promise<void>;
  /** Deletes files that an import left behind when this process was killed. No import may be under way. */
  clean(): Promise<void>;
  /** Deletes the files of keys; a file that is not there is no error. */
  forget(ids: readonly string[]): Promise<void>;
}

export interface KeyStoreOptions {
  /** The path of keymgr. */
  keymgr: string;
  folder: KnotFolder;
  /** Processes at once, for the keys of many zones. (Default: 3.) */
  processes?: number;
}

const run = promisify(execFile);
const LIMIT_MS = 60_000;
/** More imports are started by a process of their own: each program that this one starts blocks it for 5 to 20 ms. */
const MANY = 2;
/** The beginning of the names of files for keymgr. */
const IMPORT = 'import-';
/** A key is CSK: it signs the DNSKEY set and everything else. */
const ROLE = ['ksk=yes', 'zsk=yes'];
/** A time that came, and one that does not come: 2100. 0 means that a key has no such time. */
const [PAST, FAR] = [1, 4_102_444_800];
const NO_TIMES = {
  pre_active: 0,
  publish: 0,
  ready: 0,
  active: 0,
  retire_active: 0,
  retire: 0,
  post_active: 0,
  remove: 0,
};
const USED = { publish: PAST, ready: PAST, active: PAST };
/**
 * Knot computes from times what a key does. All of ours are in 1970 or in 2100, so that no clock changes the state of a
 * key: with keymgr's default, the time of the import, knotd would have no key to sign with after its clock was ahead.
 */
const TIMES: Readonly<Record<KeyState, Partial<typeof NO_TIMES>>> = {
  presigning: { pre_active: PAST, publish: FAR, ready: FAR, active: FAR },
  published: { publish: PAST, ready: FAR, active: FAR },
  ready: { publish: PAST, ready: PAST, active: FAR },
  withdrawn: { publish: PAST, ready: FAR, active: FAR },
  active: USED,
  retired: { ...USED, retire: PAST + 1 },
  postsigning: { ...USED, retire_active: PAST + 1, post_active: PAST + 1 },
};

export function keyStore(options: KeyStoreOptions): KeyStore {
  return new KeymgrStore(options);
}

class KeymgrStore implements KeyStore {
  readonly #options: KeyStoreOptions;
  // knotd has its database there by default. With -D, keymgr need not read a configuration with thousands of zones.
  readonly #database: string;

  constructor(options: KeyStoreOptions) {
    this.#options = options;
    this.#database = join(options.folder.storage, 'keys');
  }

  add(zones: readonly KeysOfZone[], signal: AbortSignal): Promise<void> {
    return this.#import(zones.flatMap(planKeys), signal);
  }

  async #import(plans: readonly KeyPlan[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { folder } = this.#options;
    // Not as arguments: every user of the machine can see those.
    const imports = plans.map((plan) => ({ plan, file: join(folder.root, `${IMPORT}${randomUUID()}.pem`) }));
    const runs = imports.map(({ plan, file }) => ({ zone: plan.zone, words: importWords(file, plan) }));
    try {
      // A file so small takes less time than the change to another thread.
      for (const { file, plan } of imports) writeFileSync(file, plan.privateKey, { mode: 0o600, flag: 'wx' });
      if (runs.length > MANY) await this.#importMany(runs);
      else await settleAll(runs.map(({ zone, words }) => this.#keymgrOf(zone, words, signal)));
      for (const { zone, id } of plans)
        if (!existsSync(this.#fileOf(id))) throw new Error(`keymgr did not import the key ${id} of the zone ${zone}`);
    } finally {
      for (const { file } of imports) if (existsSync(file)) unlinkSync(file);
    }
  }

  async list(zone: string, signal: AbortSignal): Promise<string[]> {
    const lines = (await this.#keymgrOf(zone, ['list'], signal)).split('\n');
    return lines.map((line) => line.split(' ')[0]!).filter((word) => /^[0-9a-f]{40}$/.test(word));
  }

  async read(id: string): Promise<string> {
    const fileText = await readFile(this.#fileOf(id), 'utf8').catch(() => '');
    if (!isKeyWith(fileText, id)) throw new Error(`the file of the key ${id} is missing or damaged`);
    return fileText;
  }

  async clean(): Promise<void> {
    const { folder } = this.#options;
    const files = (await readdir(folder.root)).filter((file) => file.startsWith(IMPORT));
    for (const file of files) await rm(join(folder.root, file), { force: true });
  }

  async put(wanted: KeysOfZone, signal: AbortSignal): Promise<void> {
    const { zone } = wanted;
    const ids = await this.list(zone, signal);
    const plans = planKeys(wanted);
    const newKeys = plans.filter(({ id }) => !ids.includes(id));
    // New keys come first, and keys that go last, so that knotd has a key to sign with whenever it reads them.
    if (newKeys.length > 0) await this.#import(newKeys, signal);
    for (const { id, privateKey, times } of plans.filter((plan) => !newKeys.includes(plan))) {
      await this.#restore(privateKey, id);
      await this.#keymgrOf(zone, ['set', id, ...times], signal);
    }
    for (const id of others(ids, plans)) await this.#keymgrOf(zone, ['set', id, ...wordsOf(GONE)], signal);
  }

  async prune(wanted: KeysOfZone, signal: AbortSignal): Promise<void> {
    const { zone } = wanted;
    const unusedIds = others(await this.list(zone, signal), planKeys(wanted));
    for (const id of unusedIds) await this.#keymgrOf(zone, ['delete', id], signal);
    await this.forget(unusedIds);
  }

  async forget(ids: readonly string[]): Promise<void> {
    for (const id of ids) await rm(this.#fileOf(id), { force: true });
  }

  #fileOf(id: string) {
    return join(this.#database, 'keys', `${id}.pem`);
  }

  async #keymgrOf(zone: string, args: readonly string[], signal: AbortSignal): Promise<string> {
    const { keymgr } = this.#options;
    try {
      const options = { signal, timeout: LIMIT_MS };
      return (await run(keymgr, ['-D', this.#database, absolute(zone), ...args], options)).stdout;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const { stderr = '', message } = error as Error & { stderr?: string };
      throw new Error(`keymgr ${args[0]} failed for the zone ${zone}: ${stderr.trim() || message}`);
    }
  }

  /** @throws as `add`, for the first that failed */
  async #importMany(imports: readonly { readonly zone: string; readonly words: readonly string[] }[]): Promise<void> {
    const { keymgr, processes = 3 } = this.#options;
    const errors = await runMany({
      file: keymgr,
      runs: imports.map(({ zone, words }) => ['-D', this.#database, absolute(zone), ...words]),
      atOnce: processes,
      timeoutMs: LIMIT_MS,
    });
    for (const [at, error] of errors.entries())
      if (error !== null) throw new Error(`keymgr import-pem failed for the zone ${imports[at]?.zone}: ${error}`);
  }

  /** Writes the file of a key that the database has, if it is missing or damaged. */
  async #restore(privateKey: string, id: string): Promise<void> {
    const file = this.#fileOf(id);
    const fileText = await readFile(file, 'utf8').catch(() => '');
    if (isKeyWith(fileText, id)) return;
    await replaceFile(file, privateKey, 0o640);
  }
}

/** A key that signs nothing, and is nowhere. */
const GONE = { ...NO_TIMES, ...USED, retire_active: 0, retire: PAST + 1, remove: PAST + 1 };
const PUBLISHED: ReadonlySet<KeyState> = new Set(['published', 'ready', 'withdrawn']);

interface KeyPlan {
  readonly zone: string;
  readonly id: string;
  /** PEM, PKCS#8. Secret. */
  readonly privateKey: string;
  readonly algorithm: SigningAlgorithm;
  /** Words of keymgr. */
  readonly times: readonly string[];
}

/** @throws Error if a key is not the private key of one of these algorithms */
function planKeys({ zone, keys }: KeysOfZone): KeyPlan[] {
  const publicKeys = keys.map(({ privateKey }) => readPublic(privateKey));
  const algorithms = new Set(publicKeys.map(({ algorithm }) => algorithm));
  return keys.map(({ privateKey, state }, index) => {
    const { algorithm, publicKey } = publicKeys[index] as PublicKey;
    // Each algorithm of the DNSKEY RRset must sign everything (RFC 4035 section 2.2).
    const signsAll = algorithms.size > 1 && PUBLISHED.has(state);
    const times = { ...NO_TIMES, ...TIMES[state], ...(signsAll ? { pre_active: PAST } : {}) };
    return { zone, id: keyIdOfPublic(algorithm, publicKey), privateKey, algorithm, times: wordsOf(times) };
  });
}

function wordsOf(times: Readonly<Record<string, number>>): string[] {
  return Object.entries(times).map(([name, time]) => `${name}=${time}`);
}

function others(ids: readonly string[], plans: readonly KeyPlan[]): string[] {
  return ids.filter((id) => plans.every((plan) => plan.id !== id));
}

function importWords(file: string, { algorithm, times }: KeyPlan): string[] {
  const name = `algorithm=${algorithmName(algorithm).toLowerCase()}`;
  return ['import-pem', file, name, ...ROLE, `created=${PAST}`, ...times];
}

/** @throws Error if it is not the private key of one of these algorithms */
function readPublic(privateKey: string): PublicKey {
  const key = readSigningKey(privateKey);
  if (key === null) throw new Error('the private key of a zone must be one of DNSSEC in PEM (PKCS#8)');
  return key;
}

/** The name that Knot gives to a key: the SHA-1 of its SubjectPublicKeyInfo. */
export function keyId(privateKey: string): string {
  const { algorithm, publicKey } = readPublic(privateKey);
  return keyIdOfPublic(algorithm, publicKey);
}

function isKeyWith(pem: string, id: string): boolean {
  try {
    return keyId(pem) === id;
  } catch {
    return false;
  }
}

/**
 * @param publicKey as in a DNSKEY record
 * @throws Error if it is not a key of the algorithm
 */
export function keyIdOfPublic(algorithm: SigningAlgorithm, publicKey: string): string {
  const key = readPublicKey(algorithm, Buffer.from(publicKey, 'base64'));
  if (key === null) throw new Error(`a DNSKEY has no key of algorithm ${algorithm}`);
  return createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}
