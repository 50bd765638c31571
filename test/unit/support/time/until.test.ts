// A look that fails counts as "not yet" only when the error says that a part of the stack is down.
import { expect, test } from 'vitest';
import { ApiError, ApiUnavailable } from '#client/errors.ts';
import { KubeError } from '#kube/api/errors.ts';
import { isAway, untilNone } from '../../../support/time/until.ts';

const kube = (status: number) => new KubeError({ status, reason: 'x', message: 'x' });
const service = (status: number) =>
  new ApiError({ status, code: 'x', message: 'x', retryAfterMs: null, requestId: null });
const network = (code: string) => Object.assign(new Error(code), { code });

test.each([
  kube(0),
  kube(429),
  kube(503),
  service(429),
  service(500),
  new ApiUnavailable('no answer'),
  network('ECONNREFUSED'),
  network('57P03'),
  new Error('fetch failed', { cause: network('ECONNRESET') }),
])('%s is down', async (error) => {
  let looks = 0;
  const look = async () => {
    looks += 1;
    if (looks === 1) throw error;
    return [];
  };
  await untilNone('an answer', look, 10_000, 1);
  expect(looks).toBe(2);
});

test.each([
  kube(403),
  kube(404),
  service(401),
  service(409),
  network('42P01'),
  new TypeError('undefined is not a function'),
  'text',
])('%s is a fault of the look, and ends the wait', async (error) => {
  expect(isAway(error)).toBe(false);
  const look = async (): Promise<string[]> => {
    throw error;
  };
  await expect(untilNone('an answer', look, 10_000, 1)).rejects.toBe(error);
});
