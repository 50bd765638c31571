// `zonestead doctor` with the running chain: first everything is in order, then it reports each fault that the test
// makes. The case without a solver is in faults.ts.
import { readFile } from 'node:fs/promises';
import { expect, inject, test } from 'vitest';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import { COMPILED } from '../../support/program/compiled.ts';
import type { TestStack } from '../../support/stack/stack.ts';

const API_SERVICE = 'apiservice/v1alpha1.acme.zonestead.dev';
const INJECT = 'cert-manager.io/inject-ca-from';
const { signal } = new AbortController();

export async function doctor({ stack }: TestStack, ...names: string[]) {
  const { service, cluster } = stack;
  const args = [inject('program'), 'doctor', ...names, '--namespace', 'default'];
  const env = {
    PATH: process.env.PATH,
    ...COMPILED,
    KUBECONFIG: cluster.kubeconfig,
    ZONESTEAD_NAMESERVER_ADDRESSES: `ns1.zonestead.test=${service.dns.address}:${service.dns.port}`,
  };
  const { code, out, tail } = await runCommand({ command: process.execPath, args, env, timeoutMs: 150_000, signal });
  return {
    code,
    text: code === 0 ? out : `${out}\n${tail}`,
    failures: out.split('\n').filter((line) => line.startsWith('FAIL')),
  };
}

/** Runs it until it reports so many failures: on a busy machine, a part may be late with its answer. */
async function doctorWith(stack: TestStack, failures: number, ...names: string[]) {
  let last = await doctor(stack, ...names);
  const found = async () => {
    last = await doctor(stack, ...names);
    return last.failures;
  };
  if (last.failures.length !== failures) await expect.poll(found).toHaveLength(failures);
  return last;
}

export function doctorSaysWhatIsBroken(theStack: () => TestStack): void {
  test('zonestead doctor passes every check of a working chain, and reports a zone without a grant', async () => {
    const stack = theStack();
    const { code, text } = await doctorWith(stack, 1, 'www.site.example', '*.shared.example');
    expect(text).toContain('ok    The solver answers a CleanUp through kube-apiserver');
    expect(text).toContain('ok    ClusterIssuer zonestead uses the solver and is Ready');
    expect(text).toContain('ok    Name server ns1.zonestead.test');
    // Only the first of the two zones accepts challenges for Certificates of this namespace.
    expect(text).toContain('FAIL  DNSZone default/shared takes no ACME challenges from namespace default');
    expect(code).toBe(1);
    await doctorWith(stack, 0, 'www.site.example');
  });

  test('zonestead doctor reports that the account of cert-manager cannot use the solver', async () => {
    const stack = theStack();
    const binding = await stack.kubectl('get', 'clusterrolebinding', 'zonestead-solver-user', '-o', 'json');
    await stack.kubectl('delete', 'clusterrolebinding', 'zonestead-solver-user');
    // kube-apiserver takes up the changed rights a moment later.
    const failures = async () => (await doctor(stack)).failures.join();
    await expect.poll(failures).toContain('cannot create zonestead.acme.zonestead.dev');
    const { metadata, ...rest } = JSON.parse(binding);
    await stack.apply({ ...rest, metadata: { name: metadata.name } });
  });

  test('zonestead doctor reports that caBundle does not match the certificate of the solver', async () => {
    const stack = theStack();
    const other = await readFile(stack.stack.issuance?.pebble.authorityFile ?? '');
    await stack.kubectl('annotate', API_SERVICE, `${INJECT}-`);
    const spec = { caBundle: other.toString('base64') };
    await stack.kubectl('patch', API_SERVICE, '--type=merge', '-p', JSON.stringify({ spec }));
    await stack.kubectl('wait', '--for=condition=Available=False', '--timeout=115s', API_SERVICE);
    const { failures, text } = await doctor(stack);
    expect(failures.join()).toContain('is not available: FailedDiscoveryCheck');
    expect(text).toContain('caBundle and the serving certificate do not match');
    expect(text).toContain('no namespace can be deleted');
    await stack.kubectl('annotate', API_SERVICE, `${INJECT}=zonestead/zonestead-solver`);
    await stack.kubectl('wait', '--for=condition=Available', '--timeout=115s', API_SERVICE);
  });

  test('zonestead doctor reports a name server that does not answer, and passes after the name server is back', async () => {
    const stack = theStack();
    await stack.stack.service.running.part('knot').stop();
    expect((await doctor(stack, 'www.site.example')).failures.join()).toContain('does not answer over UDP');
    await stack.stack.service.running.start('knot');
    await doctorWith(stack, 0, 'www.site.example');
  });
}
