// The order of test files: the longest ones begin first, since a run must not end with one busy worker while the others
// idle. A checkout that never ran them cannot know their times, so they are listed here.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files of more than half a minute in a run of all, the longest one first. A file that is missing here begins later.
 */
export const LONG = [
  'e2e/node/chart',
  'e2e/docs/local',
  'e2e/certificates/certificates',
  'e2e/stack/stack',
  'integration/model/random-operations',
  'e2e/matrix/killed',
  'e2e/operator/faults',
  'e2e/matrix/cluster',
  'e2e/acme/clients',
  'e2e/external-dns/sources',
  'e2e/matrix/service',
  'e2e/backup',
  'e2e/up',
  'integration/cli/commands',
  'e2e/operator/pace',
  'e2e/console/zones',
  'integration/chart/server',
  'e2e/matrix/parts',
  'e2e/observability',
  'integration/deploy/local/controlplane',
  'e2e/console/apps',
  'integration/doors/rest/limits/hostile-files',
  'e2e/operator/leader',
  'unit/operator/crash',
  'e2e/operator/stopped-node',
  'e2e/matrix/credentials',
];

const ROOT = new URL('../../', import.meta.url).pathname;

/** Where the file is in the order: long ones first. @param path absolute */
export function rankFile(path: string): number {
  const at = LONG.indexOf(path.slice(ROOT.length).replace(/\.test\.ts$/, ''));
  return at < 0 ? LONG.length : at;
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => rankFile(a.moduleId) - rankFile(b.moduleId));
  }
}
