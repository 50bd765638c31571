import postgres from 'postgres';
import { expect, test } from 'vitest';
import { lossOf, Outage, outageOf } from '#store/outage.ts';

const network = (code: string) => Object.assign(new Error(code), { code });
const answered = (code: string) => Object.assign(new postgres.PostgresError('x'), { code });
/** As drizzle wraps the errors of the driver. */
const wrapped = (cause: unknown) => new Error('Failed query', { cause });

test('an error before a connection exists says that nothing was written', () => {
  for (const code of ['ECONNREFUSED', 'ENOTFOUND', 'CONNECT_TIMEOUT', 'EHOSTUNREACH']) {
    expect([lossOf(wrapped(network(code))), outageOf(wrapped(network(code)))]).toEqual(['refused', 'nothing']);
  }
  expect([lossOf(answered('57P03')), outageOf(answered('57P03'))]).toEqual(['refused', 'nothing']);
});

test('a write to a standby or a demoted primary gives up the connection, and nothing was written', () => {
  expect([lossOf(answered('25006')), outageOf(answered('25006'))]).toEqual(['read-only', 'nothing']);
});

test('the outcome is unknown when an open connection is lost', () => {
  for (const code of ['ECONNRESET', 'EPIPE', 'CONNECTION_CLOSED']) {
    expect([lossOf(network(code)), outageOf(network(code))]).toEqual(['lost', 'unknown']);
  }
  for (const code of ['57P01', '57P02'])
    expect([lossOf(answered(code)), outageOf(answered(code))]).toEqual(['ended', 'unknown']);
});

test('a transaction that was not committed yet was not written, even if its statement may have been', () => {
  const lost = new Outage('TRANSACTION_LOST', 'nothing', 'lost', network('ECONNRESET'));
  expect(outageOf(wrapped(lost))).toBe('nothing');
});

test('a server without room for a connection is busy, and its connections are kept', () => {
  expect([lossOf(answered('53300')), outageOf(answered('53300'))]).toEqual([null, 'nothing']);
});

test('any other error is not an outage', () => {
  for (const error of [answered('23505'), new Error('x'), network('ENOENT'), null]) {
    expect([lossOf(error), outageOf(error)]).toEqual([null, null]);
  }
});
