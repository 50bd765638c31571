// The forms that settings can have: how a text of the environment is parsed, and how people read the form in help and
// in the reference.
import { isIP } from 'node:net';
import { z } from 'zod';
import { describeUnusable, plainAddress } from '#base/address.ts';
import { parseKeyringKeys } from '#base/keyring.ts';
import { EVERY_ADDRESS } from '#base/listen-address.ts';
import { CLUSTER_NAME, CLUSTER_NAME_RULE, NODE_NAME, NODE_NAME_RULE } from '#base/part-names.ts';
import { parsePostgresAddress } from '#base/postgres-address.ts';
import { plainName } from '#dns/names/plain.ts';
import { parseNetwork } from '#dns/network.ts';
import { checkedPins } from '#dns/secondaries/pin.ts';

export interface Form<T> {
  /** A noun phrase for people, for instance "host:port". */
  readonly label: string;
  /** Parses the text of the environment. The messages of its issues continue the name of the setting: "must be …". */
  readonly schema: z.ZodType<T, unknown>;
}

export interface HostPort {
  host: string;
  port: number;
}

const HOST_NAME = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/;
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

function form<T>(label: string, schema: z.ZodType<T, unknown>): Form<T> {
  return { label, schema };
}

/** The parts of a comma-separated text, without the space around them. */
function parts(text: string): string[] {
  return text.split(',').map((part) => part.trim());
}

/** The same without empty parts. */
function filledParts(text: string): string[] {
  return parts(text).filter((part) => part !== '');
}

const HOST_PORT = /^(\[[0-9a-fA-F:.]+\]|[^:\s]+):\d{1,5}$/;

/** The host and the port of a text; an IPv6 address has brackets around it. */
function splitHostPort(text: string): HostPort {
  const at = text.lastIndexOf(':');
  return { host: text.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(text.slice(at + 1)) };
}

const hostPortText = z.string().transform((text, context): HostPort => {
  const [, address = ''] = /^\[([^\]]+)\]:\d{1,5}$/.exec(text) ?? [];
  const fault = describeUnusable(address);
  if (fault !== null) context.addIssue(`has the address ${address}, which ${fault}`);
  else if (HOST_PORT.test(text)) return splitHostPort(text);
  else context.addIssue('must be host:port, for instance 192.0.2.1:8080 or [2001:db8::1]:8080');
  return z.NEVER;
});

export const text = (label: string, limit = 65_536) => form(label, z.string().min(1).max(limit));

export const hostPort = form('host:port', hostPortText);

export const onOff = form(
  'on or off',
  z.enum(['on', 'off'], { error: 'must be on or off' }).transform((value) => value === 'on'),
);

export function oneOf<const Word extends string>(...words: readonly [Word, ...Word[]]): Form<Word> {
  const error = `must be one of ${words.join(', ')}`;
  return form(words.join(', '), z.enum(words, { error }) as unknown as z.ZodType<Word, unknown>);
}

/** Both bounds belong to the range. */
export function wholeNumber(from: number, to: number): Form<number> {
  const error = `must be a whole number from ${from} to ${to}`;
  const schema = z.coerce.number({ error }).int({ error }).min(from, { error }).max(to, { error });
  return form(`whole number from ${from} to ${to}`, schema);
}

export const hostName = form('host name', z.string().regex(HOST_NAME, 'must be a host name'));

/** Two levels below it need room in a label and in a name: a canary also uses names that begin with it. */
export const recordLabel = form(
  'one label of at most 50 characters',
  z
    .string()
    .regex(
      /^[a-z0-9]([-a-z0-9]{0,48}[a-z0-9])?$/,
      'must be one label of at most 50 small letters, digits and hyphens, for instance eu-west',
    ),
);

export const hostNames = form(
  'comma-separated host names',
  z
    .string()
    .transform((value) => parts(value).map(plainName))
    .pipe(z.array(z.string().regex(HOST_NAME, 'must be comma-separated host names')).min(1)),
);

export const hostPorts = form(
  'comma-separated host:port',
  z.string().transform(filledParts).pipe(z.array(hostPortText).min(1).max(8)),
);

export const resolvers = form(
  'comma-separated address:port',
  z
    .string()
    .transform(parts)
    .pipe(
      z
        .array(hostPortText.refine(({ host }) => isIP(host) !== 0, 'must be address:port, for instance 192.0.2.53:53'))
        .min(1),
    ),
);

export const labels = form(
  'comma-separated single labels',
  z
    .string()
    .transform((value) => filledParts(value).map(plainName))
    .pipe(z.array(z.string().regex(/^[a-z0-9_-]+$/, 'must be comma-separated single labels'))),
);

export const namesOrAllow = form(
  'comma-separated names, or allow',
  z.string().transform((value, context): string[] | 'allow' => {
    if (value.trim() === 'allow') return 'allow';
    const names = filledParts(value).map(plainName);
    if (names.every((name) => HOST_NAME.test(name))) return names;
    context.addIssue('must be "allow" or comma-separated names, for instance 10.in-addr.arpa,home.arpa');
    return z.NEVER;
  }),
);

const GROUP_RULE =
  'must be comma-separated rules of the form group=team or group=team:owner, or a JSON object of groups: {"cn=dns,ou=groups": "team:owner"}. A group with "=" or "," needs the JSON object';
const GROUP_TEAM = /^[^=:]{1,64}(:(owner|member))?$/;

/** The rules as pairs of group and team. Null: the text is none of both forms. */
function groupPairs(text: string): [string, string][] | null {
  if (!text.trim().startsWith('{')) {
    // In a distinguished name (cn=dns,ou=groups) commas and equals signs have another meaning, so a group has neither.
    const pairs = filledParts(text).map((rule) => rule.split('='));
    return pairs.every(({ length }) => length === 2) ? (pairs as [string, string][]) : null;
  }
  try {
    const groups = z.record(z.string(), z.union([z.string(), z.array(z.string())])).parse(JSON.parse(text));
    return Object.entries(groups).flatMap(([group, teams]) =>
      [teams].flat().map((team): [string, string] => [group, team]),
    );
  } catch {
    return null;
  }
}

export const groupTeams = form(
  'comma-separated group=team or group=team:owner, or a JSON object of groups',
  z.string().transform((value, context) => {
    const pairs = groupPairs(value)?.map(([group, team]) => [group.trim(), team.trim()] as const);
    if (!pairs?.every(([group, team]) => group !== '' && GROUP_TEAM.test(team))) {
      context.addIssue(GROUP_RULE);
      return z.NEVER;
    }
    return pairs.map(([group, rule]) => {
      const [team = '', role] = rule.split(':');
      return { group, team: team.trim(), role: role === 'owner' ? ('owner' as const) : ('member' as const) };
    });
  }),
);

export const namespace = form('namespace', z.string().regex(NAMESPACE, 'must be a namespace'));

export const namespaces = form(
  'comma-separated namespaces',
  z
    .string()
    .transform(filledParts)
    .pipe(z.array(z.string().regex(NAMESPACE, 'must be comma-separated namespaces')).min(1)),
);

/** Networks in CIDR form, as parseNetwork writes them. */
export const networks = form(
  'comma-separated addresses and networks',
  z.string().transform((value, context): string[] =>
    filledParts(value).flatMap((part) => {
      const parsed = parseNetwork(part, 'network');
      if (parsed.ok) return parsed.value;
      context.addIssue(parsed.problem.message);
      return z.NEVER;
    }),
  ),
);

const PORTS_ERROR = 'must be comma-separated ports and ranges from 1 to 65535, for instance 80,443,8000-8999';

/** Both ends belong to a range. */
export const portRanges = form(
  'comma-separated ports and ranges',
  z.string().transform((value, context): { first: number; last: number }[] =>
    filledParts(value).flatMap((part) => {
      const [, from, to = from] = /^([1-9][0-9]{0,4})(?:-([1-9][0-9]{0,4}))?$/.exec(part) ?? [];
      const [first, last] = [Number(from), Number(to)];
      if (first <= last && last <= 65_535) return { first, last };
      context.addIssue(PORTS_ERROR);
      return z.NEVER;
    }),
  ),
);

/** Pins of certificates (dns/secondaries/pin.ts). */
export const pins = form(
  'comma-separated pins',
  z.string().transform((value, context): string[] => {
    try {
      return checkedPins(filledParts(value));
    } catch (error) {
      context.addIssue(`is wrong: ${(error as Error).message}`);
      return z.NEVER;
    }
  }),
);

const BRACKETED_HOST = /^https?:\/\/\[([^\]]+)\]/i;

export const httpUrl = form(
  'http or https address',
  z
    .string()
    .transform((value, context): string => {
      const [, address = ''] = BRACKETED_HOST.exec(value) ?? [];
      const fault = describeUnusable(address);
      if (fault === null) return value;
      context.addIssue(`has the address ${address}, which ${fault}`);
      return z.NEVER;
    })
    .pipe(z.url({ protocol: /^https?$/, error: 'must be an address that begins with http:// or https://' })),
);

/** An address of which only scheme, host and port remain. */
export const origin = form(
  'http or https address without path',
  httpUrl.schema
    .refine((value) => isOrigin(String(value)), 'must be scheme, host and port only')
    .transform((value) => (URL.canParse(String(value)) ? new URL(String(value)).origin : String(value))),
);

/** The URL rule reports a text that is not an address at all. */
function isOrigin(value: string): boolean {
  return !URL.canParse(value) || new URL(value).href === `${new URL(value).origin}/`;
}

/** One server, or several of one cluster. */
export const postgresUrl = form(
  'postgres://user:password@host:port/database, with several hosts if the database fails over',
  z.string().transform((value, context): string => {
    const parsed = parsePostgresAddress(value);
    if (parsed.ok) return value;
    context.addIssue(parsed.problem);
    return z.NEVER;
  }),
);

const UNITS = { '': 1, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 } as const;

/** A number of bytes, as Kubernetes writes quantities: 1073741824, 512Mi, 1Gi. */
export const octets = form(
  'bytes, for instance 512Mi',
  z
    .string()
    .regex(/^[0-9]{1,15}(Ki|Mi|Gi|Ti)?$/, 'must be a number of bytes, for instance 512Mi or 1Gi')
    .transform((value) => {
      const [, number, unit = ''] = /^([0-9]+)([A-Z]i)?$/.exec(value) ?? [];
      return Number(number) * UNITS[unit as keyof typeof UNITS];
    })
    .refine((number) => Number.isSafeInteger(number), 'must be less than 8191Ti'),
);

export const sessionKey = form(
  'text of at least 32 characters',
  z.string().min(32, 'must have at least 32 characters'),
);

export const encryptionKeys = form(
  'comma-separated name:key, each key with 32 octets in base64; the first one encrypts',
  z.string().transform((value, context) => {
    const keys = parseKeyringKeys(value);
    if (typeof keys !== 'string') return keys;
    context.addIssue({ code: 'custom', message: keys });
    return z.NEVER;
  }),
);

export const oidcScopes = form('space-separated scopes', z.string().regex(/\bopenid\b/, 'must contain openid'));

/** Addresses to listen on, or `*` for every one of the machine. */
export const listenAddresses = form(
  'comma-separated addresses, or *',
  z
    .string()
    .transform(parts)
    .pipe(
      z
        .array(
          z.string().transform((text, context): string => {
            const fault = describeUnusable(text);
            const address = text === EVERY_ADDRESS ? text : plainAddress(text);
            if (fault !== null) context.addIssue(`has the address ${text}, which ${fault}`);
            else if (address !== null) return address;
            else context.addIssue('must be comma-separated addresses, for instance 192.0.2.1,2001:db8::1, or *');
            return z.NEVER;
          }),
        )
        .min(1),
    ),
);

export const instanceId = form(
  '1 to 63 letters, digits, dots, hyphens and underscores',
  z
    .string()
    .regex(
      /^[A-Za-z0-9._-]{1,63}$/,
      'must be 1 to 63 letters, digits, dots, hyphens and underscores, for instance prod',
    ),
);

export const leaseName = form(
  'name of a Lease',
  z.string().regex(/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/, 'must be the name of a Lease'),
);

/** As the service accepts it, or it refuses the heartbeats. */
export const clusterName = form('name of a cluster', z.string().regex(CLUSTER_NAME, CLUSTER_NAME_RULE));

export const nodeNameForm = form('name of a node', z.string().regex(NODE_NAME, NODE_NAME_RULE));

export const cookieSecret = form(
  '32 hexadecimal digits',
  z.string().regex(/^[0-9a-fA-F]{32}$/, 'must have 32 hexadecimal digits'),
);

export const nameserverAddresses = form('comma-separated name=address:port', z.string());
