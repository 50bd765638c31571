// Faults in the read limit of keys, and in the choice of the heaviest keys under overload.
import type { Fault } from '../fault.ts';
import { noticedIn } from './fault.ts';

const HOOK = 'src/http/hooks/read-limit.ts';
const bucket = noticedIn('reads', 'test/unit/http/load/read-limit.test.ts', 'src/http/load/read-limit.ts');
const requests = noticedIn('reads', 'test/integration/doors/rest/limits/reads.test.ts', HOOK);
const shares = noticedIn('reads', 'test/unit/http/load/shares.test.ts', 'src/http/load/shares.ts');
const guard = noticedIn('reads', 'test/integration/http/overload.test.ts', 'src/http/hooks/load-guard.ts');

export const READ_FAULTS: readonly Fault[] = [
  bucket('burst', 'a key that was silent for long reads without end', 'Math.min(burst, ', 'Math.max(burst, '),
  bucket('clock', 'a clock that goes back takes reads away', 'Math.max(0, at - before.at)', '(at - before.at)'),
  bucket(
    'debt',
    'a large answer locks a key out for hours',
    'Math.max(-perMinute, bucket.reads - reads)',
    'bucket.reads - reads',
  ),
  bucket('size', 'a large answer counts as one read', 'if (reads < 1) return;', 'return;'),
  requests(
    'writes',
    'writes count as reads',
    'actor !== null && routeOptions.config.counts === undefined',
    'actor !== null && routeOptions !== undefined',
  ),
  requests('keys', 'all keys share one bucket', 'limit.take(request.actor.keyId)', "limit.take('all')"),
  requests('bytes', 'the octets of an answer are not counted', 'request.socket.bytesWritten - before', '0'),
  shares('floor', 'the heaviest key gets no answer at all', 'Math.max(MIN_RATE, rate / 2)', 'rate / 2'),
  shares('all', 'every key gives way, not the heaviest', 'rate >= heaviest * NEXT_TO_HEAVIEST', 'true'),
  shares(
    'one',
    'the keys of one loop give way one after the other',
    'rate >= heaviest * NEXT_TO_HEAVIEST',
    'rate === heaviest && reduced.size === allowances.size',
  ),
  shares('forever', 'a key stays limited', 'allowance * GROWTH', 'allowance'),
  guard('heavy', 'the guard refuses no known key', '!shares.admit(credential)', '!shares.admit(credential) && false'),
];
