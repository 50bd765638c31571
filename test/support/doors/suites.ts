// Runs the test suite of a Go client of the PowerDNS API against a server, without the tests of features that the
// service does not have. docs/reference/dns-clients.md lists these.
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { findCommand, runCommand } from '../../../deploy/local/parts/commands.ts';
import type { SuiteModule } from '../tools/suites.ts';

export interface Omitted {
  tests: readonly string[];
  reason: string;
}

export const OMITTED = {
  mittwald: [
    { tests: ['TestCreateZoneProducedReadableErrorMessages'], reason: 'expects the word "Conflict" as the error' },
    { tests: ['TestExportZone'], reason: 'expects the SOA record of a PowerDNS without settings' },
  ],
  joeig: [
    {
      tests: ['TestAddNativeZoneWithoutDNSSec', 'TestAddMasterZoneWithoutDNSSec', 'TestChangeZoneWithoutDNSSec'],
      reason: 'every zone is signed',
    },
    { tests: ['TestAddSlaveZone', 'TestAxfrRetrieve'], reason: 'the service is the primary of its zones' },
    { tests: ['TestAddZone'], reason: 'the service makes the catalogs of its secondaries itself' },
    { tests: ['TestDeleteCryptokey'], reason: 'the service makes keys, and rolls them' },
    {
      tests: ['TestListMetadata', 'TestCreateMetadata', 'TestGetMetadata', 'TestSetMetadata', 'TestDeleteMetadata'],
      reason: 'zones have no metadata',
    },
    {
      tests: ['TestCreateTSIGKey', 'TestGetTSIGKey', 'TestPatchTSIGKey', 'TestDeleteTSIGKey'],
      reason: 'TSIG keys belong to API keys',
    },
    { tests: ['TestListStatistics', 'TestGetStatistics'], reason: 'the service has other metrics' },
    { tests: ['TestCacheFlush'], reason: 'there is no cache to empty' },
    { tests: ['TestDo'], reason: 'expects other error texts, and an error for other server ids' },
  ],
} as const satisfies Record<string, readonly Omitted[]>;

export interface SuiteResult {
  /** The names of the tests at the top level. */
  passed: string[];
  failed: string[];
  /** The last lines, for messages. */
  tail: string;
}

const LIMIT_MS = 200_000;

export interface SuiteServer {
  /** Without /api. */
  url: string;
  key: string;
  /** An empty folder for one run. */
  folder: string;
}

/** @param programs from ensureSuites. @throws Error if the suite has no test of an omitted name */
export async function runSuite(
  programs: string,
  { name }: SuiteModule,
  omitted: readonly Omitted[],
  { url, key, folder }: SuiteServer,
): Promise<SuiteResult> {
  // One suite starts its PowerDNS by Docker.
  await symlink(findCommand('true') ?? '/bin/true', join(folder, 'docker'));
  const run = (...args: string[]) =>
    runCommand({
      command: join(programs, name),
      args,
      cwd: folder,
      // With GONOMOCKS, a suite asks a real server.
      env: { PATH: folder, HOME: folder, GONOMOCKS: '1', SERVER_URL: url, SERVER_KEY: key },
      timeoutMs: LIMIT_MS,
      signal: new AbortController().signal,
    });
  const names = omitted.flatMap(({ tests }) => tests);
  const known = (await run('-test.list=.')).out.split('\n');
  const unknown = names.filter((each) => !known.includes(each));
  if (unknown.length > 0) throw new Error(`the suite ${name} has no test ${unknown.join(', ')}`);
  const { code, out, tail } = await run('-test.v', `-test.skip=^(${names.join('|')})$`);
  const named = (result: string) =>
    [...out.matchAll(new RegExp(`^--- ${result}: (\\S+)`, 'gm'))].map(([, test = '']) => test).sort();
  const failed = named('FAIL');
  return { passed: named('PASS'), failed: code === 0 || failed.length > 0 ? failed : [`code ${code}`], tail };
}
