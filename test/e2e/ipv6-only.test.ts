// The whole chain in a network namespace without IPv4: its only addresses are ::1 and one of a veth pair. From `kubectl
// apply` to a validated answer, to secondaries, to a DNS update and to a certificate.
import { spawn } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { temporaryFolder } from '../support/runner/temporary.ts';

const CHAIN = new URL('../support/stack/ipv6-chain.ts', import.meta.url).pathname;
const OWN = 'fd00:6::1';
const NETWORK = [
  'set -e',
  'ip link set lo up',
  'ip addr del 127.0.0.1/8 dev lo',
  'ip link add net0 type veth peer name net1',
  `ip addr add ${OWN}/64 dev net0 nodad`,
  'ip link set net0 up',
  'ip link set net1 up',
  // Some machines have no IPv6 address for localhost, where kube-apiserver looks for the solver.
  `printf '::1 localhost\\n' > "$1"`,
  'mount --bind "$1" /etc/hosts',
  'shift',
  'exec "$@"',
].join('\n');
const LIMIT_MS = 600_000;

const seen = new Map<string, unknown>();
let errors = '';
let code: number | null = null;

/** Only root can make a network namespace with addresses. */
const isRoot = process.getuid?.() === 0;

beforeAll(async () => {
  if (!isRoot) return;
  const folder = await temporaryFolder('ipv6-only');
  // Postgres, which refuses root, must get through to its data.
  await chmod(folder, 0o711);
  const hosts = join(folder, 'hosts');
  const { dig, delv, nsupdate } = inject('tools');
  const { nsd, bind } = inject('secondaries');
  const words = [CHAIN, folder, inject('program'), dig, delv, nsupdate, nsd.command, bind.command];
  // The processes of the chain end when the program ends, and a program that hangs ends at the limit.
  const child = spawn(
    'unshare',
    ['--net', '--mount', '--', 'sh', '-c', NETWORK, 'sh', hosts, process.execPath, ...words],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: LIMIT_MS,
    },
  );
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (errors += chunk));
  code = await new Promise((resolve) => child.once('close', resolve));
  for (const line of output.split('\n').filter((each) => each.startsWith('{'))) {
    const { step, seen: value } = JSON.parse(line) as { step: string; seen: unknown };
    seen.set(step, value);
  }
}, LIMIT_MS + 30_000);

test.skipIf(!isRoot)('The chain runs to its end on a machine that has IPv6 addresses alone', () => {
  expect({ code, errors: code === 0 ? '' : errors.slice(-4_000) }).toEqual({ code: 0, errors: '' });
  expect(seen.get('machine')).toEqual(['IPv6']);
  const [api, dns, updates] = seen.get('addresses') as string[];
  expect(api).toMatch(/^http:\/\/\[::1\]:\d+$/);
  expect([dns, updates]).toEqual([expect.stringMatching(/^\[::1\]:\d+$/), expect.stringMatching(/^\[::1\]:\d+$/)]);
});

test.skipIf(!isRoot).each([
  ['ready', /dnszone.zonestead.dev\/chain condition met[\s\S]*www-a condition met[\s\S]*www-aaaa condition met/],
  ['udp', /^2001:db8::1$/],
  ['tcp', /^192\.0\.2\.1$/],
  ['validated', /^; fully validated/],
  ['nsd transfer', /^2001:db8::1$/],
  ['bind transfer', /^2001:db8::1$/],
  ['nsd change', /^2001:db8::2$/],
  ['bind change', /^2001:db8::2$/],
  ['refused update', /BADSIG/],
  ['update', /^2001:db8::7$/],
  ['dyndns2', /^good (192\.0\.2\.8,2001:db8::8|2001:db8::8,192\.0\.2\.8)$/],
  ['certificate', /certificate.cert-manager.io\/chain condition met/],
])('The step "%s" of the chain has the right outcome with IPv6 alone', (step, expected) => {
  expect(seen.get(step)).toMatch(expected);
});
