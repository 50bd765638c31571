// Faults in the owners and leases of challenge values.
import type { Fault } from '../fault.ts';

const SERVICE = 'src/service/challenges/challenges.ts';
const STORE = 'src/store/challenge-values.ts';
const HOOK = 'src/cli/acme/challenge.ts';
const HOOK_OWNER = 'src/cli/acme/owner.ts';

const fault = (name: string, breaks: string, file: string, find: string, replace: string): Fault => ({
  name: `acme-${name}`,
  breaks,
  edits: [{ file, find, replace }],
  project: 'integration',
  tests: ['test/integration/service/owners/challenges.test.ts'],
});

export const ACME_FAULTS: readonly Fault[] = [
  fault('share', 'httpreq and acme-dns do not share a value', SERVICE, 'share: true, ', ''),
  fault('lease', 'a value of httpreq or acme-dns stays when its client is gone', SERVICE, ', expires }', ' }'),
  fault('kept', 'a value that others keep is refused', SERVICE, 'if (IS_THERE.has(error.rule)) return;', ''),
  fault(
    'roll-all',
    'acme-dns removes values of other writers',
    SERVICE,
    "buildWriterPrefix('acme-dns', actor.keyId)",
    "'acme:'",
  ),
  fault('roll-oldest', 'acme-dns keeps the oldest values', STORE, 'desc(appliedAt)', 'appliedAt'),
  fault('roll-many', 'acme-dns keeps three values', SERVICE, '.slice(keep - 1)', '.slice(keep)'),
  fault(
    'path',
    'a refusal names the field of a request that the client did not send',
    SERVICE,
    'throw withoutPath(error)',
    'throw error',
  ),
  fault('hook-share', 'zonestead acme does not share a value', HOOK, 'share: true, ', ''),
  fault(
    'hook-lease',
    'a value of zonestead acme stays when the hook was killed',
    HOOK,
    'share: true, expires }',
    'share: true }',
  ),
  fault('hook-host', 'two machines have one owner', HOOK_OWNER, "name.slice(0, LONGEST_HOST) || 'unknown'", "'any'"),
  fault(
    'hook-kept',
    'zonestead acme refuses a value that others keep',
    HOOK,
    'if ((await find(context, place, challenge.value)).length > 0) return place;',
    '',
  ),
  fault('hook-clock', 'a wrong clock is not told', HOOK, "if (result.field === 'expires')", 'if (false)'),
];
