// `zonestead login`: keeps the address of a service and a key for it, so that later commands need no settings.
import { resolve } from 'node:path';
import { isLoopbackHost } from '#base/networks.ts';
import type { Account } from '#contract/account.ts';
import { type CommandContext, describeCommand } from '../command.ts';
import { readInput } from '../input.ts';
import { CONTEXT_OPTION, type ContextOption } from '../rest/access.ts';

/** The longest key; a token of an issuer has about 1 kB. */
const MAX_KEY = 16_384;
const CONTEXT = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/;

interface LoginOptions extends ContextOption {
  ca?: string;
}

export const command = describeCommand({
  name: 'login',
  describe: 'log in to a service: check a key, and keep it for later commands',
  arguments: [{ usage: '<address>', describe: 'address of the service, for instance https://dns.example.net' }],
  options: [
    { ...CONTEXT_OPTION, describe: 'name of the login, which becomes the current one (default: the host)' },
    { flags: '--ca <file>', describe: 'PEM file with the authorities of the service (default: those of the machine)' },
  ],
  notes:
    'The command asks for the key without showing it, or reads it from standard input. The key is kept in ~/.config/zonestead/contexts.json (in XDG_CONFIG_HOME if that is set), which only you can read. ZONESTEAD_URL and ZONESTEAD_API_KEY have priority over it.',
  examples: ['zonestead login https://dns.example.net', 'zonestead login https://dns.example.net --context prod < key'],
  run: async ([address = ''], options: LoginOptions, context) => {
    const { print, warn, signal } = context;
    const url = parseAddress(address);
    const name = options.context ?? defaultName(url);
    if (!CONTEXT.test(name))
      throw new Error(`${JSON.stringify(name)} is not a name for a context: write letters, digits, ".", "_" and "-"`);
    if (url.protocol === 'http:' && !isLoopbackHost(url.hostname.replace(/^\[|\]$/g, '')))
      warn('The key crosses the network in plain text: use the https:// address of the service, if it has one.');
    const caFile = options.ca === undefined ? undefined : resolve(options.ca);
    const key = await readKey(url, signal);
    const login = { url: url.href.replace(/\/$/, ''), key, ...(caFile === undefined ? {} : { caFile }) };
    const account = await readAccount(login, context);
    const { readLogins, writeLogins } = await import('./store.ts');
    const { contexts } = await readLogins();
    await writeLogins({ current: name, contexts: { ...contexts, [name]: login } });
    print(`You are logged in to ${login.url} ${holderOf(account)}. The context is ${name}.`);
    const { expiresAt } = account.key;
    if (expiresAt !== null) print(`The key expires at ${expiresAt}.`);
  },
});

/** @throws Error that says what is wrong with it */
export function parseAddress(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new Error(`${JSON.stringify(text)} is not an address; write one such as https://dns.example.net`);
  if (url.username !== '' || url.password !== '')
    throw new Error('the address contains a name or a password; write it without them');
  if (url.search !== '' || url.hash !== '')
    throw new Error('the address has a part after "?" or "#"; write it without that');
  return url;
}

/** The host, and the port if it is not the usual one. Pure. */
export function defaultName({ host }: URL): string {
  return host.replaceAll(/[^A-Za-z0-9._:-]/g, '').replace(/^[^A-Za-z0-9]+/, '');
}

/** Typed by the person, or on standard input. An argument would be visible in the list of processes. */
async function readKey(url: URL, signal: AbortSignal): Promise<string> {
  const { askHidden } = await import('./hidden-line.ts');
  const text = process.stdin.isTTY
    ? await askHidden(`API key for ${url.host} (it is not shown): `, signal)
    : await readInput('-', signal);
  const key = text.trim();
  if (key === '') throw new Error('no key was given; create one in the console, or with "zonestead keys mint"');
  if (key.length > MAX_KEY || !/^[\x21-\x7e]+$/.test(key))
    throw new Error(`this is not a key: a key is one word of at most ${MAX_KEY} printable ASCII characters`);
  return key;
}

/** The account of the key. @throws Error for people if the service does not accept the key */
async function readAccount(
  { url, key, caFile }: { url: string; key: string; caFile?: string | undefined },
  { print, warn, signal }: Pick<CommandContext<never>, 'print' | 'warn' | 'signal'>,
): Promise<Account> {
  const { withSession } = await import('../rest/session.ts');
  const { getAccount } = await import('#contract/operations/account.ts');
  const config = { ZONESTEAD_URL: url, ZONESTEAD_URL_CA: caFile, ZONESTEAD_API_KEY: key };
  let account: Account | undefined;
  await withSession(config, { output: 'table' }, { print, warn, signal }, async ({ client }) => {
    account = await client.call(getAccount, {}, { signal });
  });
  if (account === undefined) throw new Error('the service named no account');
  return account;
}

/** For instance: as Ada (ada@example.org). Pure. */
export function holderOf({ user, team, key }: Account): string {
  if (user !== undefined) return `as ${user.name} (${user.email})`;
  return team === undefined ? `with the key ${key.name}` : `with the key ${key.name} of the team ${team.name}`;
}
