// `zonestead version`: the version of this program, and that of the service.
import { compareVersions } from '#base/versions.ts';
import manifest from '../../package.json' with { type: 'json' };
import { describeCommand } from './command.ts';
import { OUTPUT_OPTION, type OutputOption, show } from './output.ts';
import { CONTEXT_OPTION, type ContextOption, findAccess } from './rest/access.ts';

/** A service that does not answer must not hold up a script for longer. */
const LIMIT_MS = 10_000;

interface VersionOptions extends OutputOption, ContextOption {
  client?: boolean;
}

export const command = describeCommand({
  name: 'version',
  describe: 'print the version of this program, and that of the service',
  options: [{ flags: '--client', describe: 'do not ask the service' }, OUTPUT_OPTION, CONTEXT_OPTION],
  settings: ['ZONESTEAD_URL', 'ZONESTEAD_URL_CA'],
  examples: ['zonestead version', 'zonestead version --client -o json'],
  run: async (
    _args,
    { client: isAlone = false, output: format, ...access }: VersionOptions,
    { config, print, warn, signal },
  ) => {
    const { isSet } = await import('#config.ts');
    const { environment, context } = isAlone ? { environment: undefined, context: null } : await findAccess(access);
    const own = manifest.version;
    if (isAlone || !isSet('ZONESTEAD_URL', environment)) {
      await show({ format, print }, { client: own }, () => print(`zonestead  ${own}`));
      if (!isAlone) warn('The service was not asked: "zonestead login <address>" or ZONESTEAD_URL names its address.');
      return 0;
    }
    const { ZONESTEAD_URL: url, ZONESTEAD_URL_CA: caFile } = config(environment);
    const service = await askVersion(url, caFile, signal);
    const version = 'version' in service ? service.version : null;
    await show({ format, print }, { client: own, service: version, url }, () => {
      print(`zonestead  ${own}`);
      if (version !== null) print(`service    ${version} (${url})`);
    });
    if ('problem' in service)
      throw new Error(
        `${service.problem}. Is ${context === null ? 'ZONESTEAD_URL' : `the context ${context}`} (${url}) right?`,
      );
    const skew = skewSentence(own, service.version);
    if (skew !== null) warn(skew);
    return 0;
  },
});

async function askVersion(
  url: string,
  caFile: string | undefined,
  signal: AbortSignal,
): Promise<{ version: string } | { problem: string }> {
  const { readServiceVersion } = await import('#client/version.ts');
  const { realClock } = await import('#base/clock.ts');
  const { deadline } = await import('#base/deadline.ts');
  const { formatCause } = await import('#base/error-text.ts');
  const limit = deadline(realClock, LIMIT_MS, signal);
  try {
    return { version: await readServiceVersion(url, caFile, limit.signal) };
  } catch (error) {
    signal.throwIfAborted();
    return { problem: `the service does not say its version: ${formatCause(error)}` };
  } finally {
    limit.clear();
  }
}

/** A sentence if the two differ by more than a patch. Pure. */
export function skewSentence(own: string, service: string): string | null {
  const minor = (version: string) => version.split('.').slice(0, 2).join('.');
  const order = compareVersions(minor(own), minor(service));
  if (order === 0) return null;
  return order < 0
    ? `This program is older than the service: install version ${service} of it.`
    : 'This program is newer than the service, which may refuse some of its commands.';
}
