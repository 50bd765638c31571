// The signing keys of zones in Knot's key database, through `keymgr`. It takes one key at a time, so several run at
// once.
import { execFile } from 'node:child_process';
import { createHash, createPrivateKey, createPublicKey, type KeyObject, randomUUID } from 'node:crypto';
import { existsSync, unlinkSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { settleAll } from '#base/settle-all.ts';
import type { KnotFolder } from './folder.ts';
import { runMany } from './launcher.ts';
import { absolute } from './records.ts';
import { replaceFile } from './replace-file.ts';

export interface ZoneKey {
  zone: string;
  /** PEM, PKCS#8. Secret. */
  privateKey: string;
}

export interface KeyStore {
  /** Makes the key the only one of its zone. @throws if keymgr fails, with its words */
  put(key: ZoneKey, signal: AbortSignal): Promise<void>;
  /** The private key with an id, in PEM. Secret. @throws Error if its file is missing or damaged */
  read(id: string): Promise<string>;
  /** The key ids of a zone, which are their files' names. */
  list(zone: string, signal: AbortSignal): Promise<string[]>;
  /**
   * Imports the keys of zones that have none. Every import has ended when it returns.
   * @throws as put, for the first that failed
   */
  add(keys: readonly ZoneKey[], signal: AbortSignal): Promise<void>;
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
const ROLE = ['algorithm=ecdsap256sha256', 'ksk=yes', 'zsk=yes'];
/**
 * A key is in use since 1970. keymgr's default is the time of the import: with a clock that was ahead then, and is
 * right now, knotd would have no key to sign with, and load no such zone, until that time comes.
 */
const TIMES = ['created=1', 'publish=1', 'active=1'];
/** The SubjectPublicKeyInfo of a P-256 point (RFC 5480), up to the point's two coordinates. */
const SPKI_HEAD = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d03010703420004', 'hex');

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

  async add(all: readonly ZoneKey[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { folder } = this.#options;
    // Not as arguments: every user of the machine can see those.
    const imports = all.map((key) => ({
      ...key,
      id: keyId(key.privateKey),
      file: join(folder.root, `${IMPORT}${randomUUID()}.pem`),
    }));
    try {
      // A file so small takes less time than the change to another thread.
      for (const { file, privateKey } of imports) writeFileSync(file, privateKey, { mode: 0o600, flag: 'wx' });
      if (imports.length > MANY) await this.#importMany(imports);
      else await settleAll(imports.map(({ zone, file }) => this.#keymgrOf(zone, importWords(file), signal)));
      for (const { zone, id } of imports)
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

  async put(key: ZoneKey, signal: AbortSignal): Promise<void> {
    const ids = await this.list(key.zone, signal);
    const wantedId = keyId(key.privateKey);
    if (!ids.includes(wantedId)) await this.add([key], signal);
    else await this.#restore(key.privateKey, wantedId);
    for (const id of ids.filter((other) => other !== wantedId)) {
      await this.#keymgrOf(key.zone, ['delete', id], signal);
    }
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
  async #importMany(imports: readonly { readonly zone: string; readonly file: string }[]): Promise<void> {
    const { keymgr, processes = 3 } = this.#options;
    const errors = await runMany({
      file: keymgr,
      runs: imports.map(({ zone, file }) => ['-D', this.#database, absolute(zone), ...importWords(file)]),
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

function importWords(file: string): string[] {
  return ['import-pem', file, ...ROLE, ...TIMES];
}

/**
 * The public key as a DNSKEY record has it: base64 of 64 octets (RFC 6605 section 4).
 * @throws if it is not a private key
 */
export function derivePublicKey(privateKey: string): string {
  return exportSpki(createPublicKey(createPrivateKey(privateKey)))
    .subarray(SPKI_HEAD.length)
    .toString('base64');
}

/** The name that Knot gives to a key: the SHA-1 of its SubjectPublicKeyInfo. */
export function keyId(privateKey: string): string {
  return keyIdOfPublic(derivePublicKey(privateKey));
}

function isKeyWith(pem: string, id: string): boolean {
  try {
    return keyId(pem) === id;
  } catch {
    return false;
  }
}

/** @param publicKey as in a DNSKEY record */
export function keyIdOfPublic(publicKey: string): string {
  return createHash('sha1').update(SPKI_HEAD).update(Buffer.from(publicKey, 'base64')).digest('hex');
}

function exportSpki(key: KeyObject): Buffer {
  const spki = key.export({ type: 'spki', format: 'der' });
  if (spki.length !== SPKI_HEAD.length + 64 || !spki.subarray(0, SPKI_HEAD.length).equals(SPKI_HEAD)) {
    throw new Error('the private key of a zone must be an ECDSA P-256 key in PEM (PKCS#8)');
  }
  return spki;
}
