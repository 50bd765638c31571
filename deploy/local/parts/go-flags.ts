// How all Go programs are compiled: by one Go, and with the same flags, because Go compiles a package again for other
// flags.
import { findCommand } from './commands.ts';

/**
 * Without paths of this machine, without debug information (which takes a fifth of the compile time, and which -s -w
 * would remove from the program), and without the tracing pages of gRPC.
 */
const COMPILE = ['-trimpath', '-gcflags=all=-dwarf=false', '-tags=grpcnotrace'];

/**
 * Flags of `go build` and `go test`. @param values strings of the program by their names, as in the flag -X of the
 * linker
 */
export function goFlags(values: Readonly<Record<string, string>> = {}): string[] {
  const set = Object.entries(values).map(([name, value]) => ` -X ${name}=${value}`);
  return [...COMPILE, `-ldflags=-s -w${set.join('')}`];
}

/**
 * The path of Go. @param what the product, for the message @param otherwise how to do without Go
 * @throws Error that says where to get Go
 */
export function findGo(what: string, otherwise?: string): string {
  const go = findCommand('go') ?? findCommand('/usr/local/go/bin/go');
  if (go !== undefined) return go;
  const words = ['install Go 1.26 or later (https://go.dev/dl/)', ...(otherwise === undefined ? [] : [otherwise])];
  throw new Error(`Go is needed to build ${what}: ${words.join(', ')}`);
}

/** The environment of Go. */
export function goEnvironment(): NodeJS.ProcessEnv {
  return {
    ...process.env,
    CGO_ENABLED: '0',
    // The modules are self-contained: neither a workspace around them nor flags meant for another build may change
    // them.
    GOWORK: 'off',
    GOFLAGS: '-mod=readonly',
    // The compiler spends a quarter of its time on collecting garbage, although it needs little memory: it collects
    // less often, until one compiler or the linker has this much.
    GOGC: '400',
    GOMEMLIMIT: '1500MiB',
  };
}
