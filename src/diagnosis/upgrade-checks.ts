// Whether an installation is fit for an upgrade, and which of its parts still have another version. Pure.
import type { Program } from '#base/versions.ts';
import { checkEncryption } from './encryption-check.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

export interface NodeFacts {
  readonly name: string;
  readonly version: string;
  readonly isLiving: boolean;
  readonly isDuplicate: boolean;
  /** Null before its first list. */
  readonly lagSeconds: number | null;
  readonly failingCount: number;
  readonly held: { readonly count: number } | null;
}

export interface UpgradeFacts {
  readonly pendingMigrations: readonly string[];
  /** The number of migrations that this version does not know. */
  readonly laterMigrations: number;
  readonly invalidIndexes: readonly string[];
  readonly clearKeys: number;
  readonly apis: readonly Program[];
  readonly operators: readonly Program[];
  readonly nodes: readonly NodeFacts[];
  /** Null: the database archives no WAL. */
  readonly archive: { readonly lastAgeSeconds: number | null; readonly isFailing: boolean } | null;
}

/** A node that is further behind, in seconds, is not ready for the loss of another one. */
const MAX_LAG_SECONDS = 30;
/** Postgres archives a file at least this often with the usual archive_timeout of 5 min, in seconds. */
const MAX_ARCHIVE_SECONDS = 3_600;

/** @param version the version of this program: the installation is to have it, or has it already */
export function checkUpgrade(facts: UpgradeFacts, version: string): Finding[] {
  return [
    ...checkDatabase(facts),
    checkArchive(facts),
    checkEncryption(facts.clearKeys),
    ...checkVersions('replica of the api', 'service', facts.apis, version),
    ...checkVersions('operator of cluster', 'service', facts.operators, version),
    ...facts.nodes.flatMap((node) => checkNode(node, version)),
    ...(facts.nodes.some(({ isLiving }) => isLiving) ? [] : [NO_NODE]),
  ];
}

const NO_NODE = fail(
  'node',
  'no name server reports to the api',
  'Start at least two name servers before the upgrade: while one restarts, the other one answers.',
);

function checkDatabase({ pendingMigrations, laterMigrations, invalidIndexes }: UpgradeFacts): Finding[] {
  const findings: Finding[] = [];
  if (laterMigrations > 0) {
    findings.push(
      fail(
        'service',
        `the database has ${laterMigrations} migrations of a newer version than this program`,
        'Run the check with the image of the newer version.',
      ),
    );
  }
  if (pendingMigrations.length > 0) {
    findings.push(
      warn('service', `the database lacks the migrations ${pendingMigrations.join(', ')}`, {
        words: 'The api of this version applies them when it starts. You can apply them before:',
        commands: ['zonestead migrate'],
      }),
    );
  }
  if (invalidIndexes.length > 0) {
    findings.push(
      fail('service', `the build of these indexes has failed: ${invalidIndexes.join(', ')}`, {
        words: 'Build each of them again before the upgrade, with SQL:',
        commands: invalidIndexes.map((name) => `reindex index concurrently ${name}`),
      }),
    );
  }
  return findings.length > 0 ? findings : [ok('service', 'the database has all migrations of this version')];
}

function checkArchive({ archive }: UpgradeFacts): Finding {
  if (archive === null) {
    return warn(
      'service',
      'the database archives no WAL, so the age of its backups is unknown',
      'Make a backup now, and check that it is complete, before you continue.',
    );
  }
  const { lastAgeSeconds, isFailing } = archive;
  const age = lastAgeSeconds === null ? 'never' : `${Math.round(lastAgeSeconds / 60)} min ago`;
  if (isFailing || lastAgeSeconds === null || lastAgeSeconds > MAX_ARCHIVE_SECONDS) {
    return fail(
      'service',
      `the database archived WAL ${age}${isFailing ? ', and its last attempt failed' : ''}`,
      'Repair the archive, and make a backup, before you continue: without it, you cannot return to this moment.',
    );
  }
  return ok('service', `the database archived WAL ${age}`);
}

export function checkVersions(
  kind: string,
  subject: Finding['subject'],
  programs: readonly Program[],
  version: string,
): Finding[] {
  return programs.map(({ name, version: seenVersion }) => {
    const what = `${kind} ${name}: version ${seenVersion ?? 'unknown'}`;
    return seenVersion === version ? ok(subject, what) : warn(subject, what, otherVersion(version));
  });
}

function otherVersion(version: string): string {
  return `Upgrade it to ${version}. Only two adjacent versions are tested side by side.`;
}

function checkNode(node: NodeFacts, version: string): Finding[] {
  const { name, failingCount, held, lagSeconds, isDuplicate } = node;
  if (!node.isLiving) {
    return [
      warn('node', `name server ${name} is silent`, {
        words: 'Start it before the upgrade. If you have removed it:',
        commands: [`zonestead admin nodes forget ${name}`],
      }),
    ];
  }
  const problems = [
    isDuplicate ? 'another process has its name' : null,
    lagSeconds === null ? 'it has not applied its first list' : null,
    lagSeconds !== null && lagSeconds > MAX_LAG_SECONDS ? `it is ${Math.round(lagSeconds)} s behind` : null,
    failingCount > 0 ? `it does not serve ${failingCount} zones as it should` : null,
    held !== null && held.count > 0 ? `it holds ${held.count} zones that the database lacks` : null,
  ].filter((problem) => problem !== null);
  const versionFinding = checkVersions('name server', 'node', [node], version);
  if (problems.length === 0) return versionFinding;
  return [
    ...versionFinding,
    fail('node', `name server ${name}: ${problems.join(', ')}`, {
      words: 'Wait until it is current, or repair it: an upgrade restarts the name servers one after the other.',
      commands: ['zonestead admin nodes list'],
    }),
  ];
}
