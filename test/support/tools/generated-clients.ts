// Two generators of clients, and the clients that they make from the OpenAPI document: the Go client with a program
// that uses it, and the TypeScript client. Generators and the Go program are in the cache.
import { readFileSync } from 'node:fs';
import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cached, cacheKey, type Progress } from '../../../deploy/local/parts/cache.ts';
import { findCommand, runCommand } from '../../../deploy/local/parts/commands.ts';
import { buildGo, sourceInputs } from '../../../deploy/local/parts/go-build.ts';
import { goFlags } from '../../../deploy/local/parts/go-flags.ts';

const SOURCE = new URL('openapi/', import.meta.url).pathname;
const DOCUMENT = new URL('../../../docs/reference/openapi.json', import.meta.url).pathname;
const TSC = new URL('../../../node_modules/typescript/bin/tsc', import.meta.url).pathname;
const LIMIT_MS = 10 * 60_000;

/**
 * The Go program of openapi/main.go with its client. @throws Error when Go is missing, or with the last lines of a
 * failed step
 */
export async function ensureGoClient(progress: Progress, signal: AbortSignal): Promise<string> {
  const inputs = sourceInputs(SOURCE, ['main.go', 'go.mod', 'go.sum']);
  const key = cacheKey({
    ...inputs,
    document: readFileSync(DOCUMENT),
    platform: `${process.platform}-${process.arch}`,
  });
  const folder = await cached({ name: 'go-client', key, progress, signal, fill });
  return join(folder, 'program');

  async function fill(target: string): Promise<void> {
    const source = join(target, 'source');
    await mkdir(source);
    for (const file of Object.keys(inputs)) await cp(join(SOURCE, file), join(source, file));
    const generator = join(target, 'oapi-codegen');
    const common = { source, otherwise: 'or leave out the test of generated clients', progress, signal };
    const package_ = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen';
    await buildGo({
      ...common,
      what: 'a generator of Go clients',
      costs: 'half a minute',
      targets: [{ package: package_, file: generator, flags: goFlags() }],
    });
    const args = ['-generate', 'types,client', '-package', 'main', '-o', join(source, 'client.go'), DOCUMENT];
    await run(generator, args, signal);
    await buildGo({
      ...common,
      what: 'a Go client of the REST API',
      costs: 'ten seconds',
      targets: [{ package: '.', file: join(target, 'program'), flags: goFlags() }],
    });
    await rm(generator);
  }
}

/** The folder with openapi-ts. @throws Error when npm is missing, or with its last lines */
export async function ensureTypescriptGenerator(progress: Progress, signal: AbortSignal): Promise<string> {
  const inputs = sourceInputs(SOURCE, ['package.json', 'package-lock.json']);
  return cached({ name: 'typescript-generator', key: cacheKey(inputs), progress, signal, fill });

  async function fill(target: string): Promise<void> {
    const npm = findCommand('npm');
    if (npm === undefined)
      throw new Error('npm is needed for a generator of TypeScript clients; it comes with Node.js');
    progress('installing a generator of TypeScript clients from npm: once, ten seconds');
    for (const file of Object.keys(inputs)) await cp(join(SOURCE, file), join(target, file));
    await run(npm, ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', target], signal);
  }
}

/**
 * Makes the client in `folder`/client next to a copy of openapi/calls.ts, and checks the types of both.
 * @throws Error with the output of the generator or of the compiler
 */
export async function makeTypescriptClient(folder: string, generator: string, signal: AbortSignal): Promise<void> {
  const program = join(generator, 'node_modules/@hey-api/openapi-ts/bin/run.js');
  await run(process.execPath, [program, '-i', DOCUMENT, '-o', join(folder, 'client'), '--no-log-file'], signal);
  const calls = join(folder, 'calls.ts');
  await cp(join(SOURCE, 'calls.ts'), calls);
  const strict = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--target',
    'esnext',
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
  ];
  await run(process.execPath, [TSC, ...strict, '--lib', 'esnext,dom,dom.iterable', calls], signal);
}

async function run(command: string, args: readonly string[], signal: AbortSignal): Promise<void> {
  const { code, tail } = await runCommand({ command, args, timeoutMs: LIMIT_MS, signal });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with code ${code}:\n${tail}`);
}
