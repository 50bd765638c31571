// Applies the small example and shows that it works: objects turning Ready, and the signed answers.
import { fileURLToPath } from 'node:url';
import type { Progress } from './parts/cache.ts';
import { runCommand } from './parts/commands.ts';
import type { Stack } from './stack.ts';

const EXAMPLE = fileURLToPath(new URL('../examples/quickstart.yaml', import.meta.url));
const QUESTIONS = [
  ['www.quickstart.example', 'A'],
  ['any.preview.quickstart.example', 'CNAME'],
  ['quickstart.example', 'TXT'],
] as const;

/** @throws with kubectl's words when the objects do not become Ready within 110 s */
export async function showExample(stack: Stack, dig: string, progress: Progress, signal: AbortSignal): Promise<void> {
  const { cluster, service } = stack;
  progress('kubectl apply --server-side -f deploy/examples/quickstart.yaml');
  indent(await cluster.kubectl(['apply', '--server-side', '-f', EXAMPLE]), progress);
  await cluster.kubectl(['wait', '--for=condition=Ready', '--timeout=110s', '-f', EXAMPLE]);
  progress('kubectl get zdz,zdr');
  indent(await cluster.kubectl(['get', 'zdz,zdr']), progress);
  for (const [name, type] of QUESTIONS) {
    progress(`dig +dnssec ${name} ${type}`);
    const args = [
      '+dnssec',
      '+norecurse',
      '+noall',
      '+answer',
      '-p',
      String(service.dns.port),
      `@${service.dns.address}`,
      name,
      type,
    ];
    const { out } = await runCommand({ command: dig, args, timeoutMs: 30_000, signal });
    indent(out, progress);
  }
}

function indent(text: string, progress: Progress): void {
  for (const line of text.split('\n')) if (line.trim() !== '' && !line.startsWith(';')) progress(`  ${line}`);
}
