import postgres from 'postgres';
import { expect, test } from 'vitest';
import { findLoss, findOutage, Outage } from '#store/outage.ts';

const network = (code: string) => Object.assign(new Error(code), { code });
const answered = (code: string) => Object.assign(new postgres.PostgresError('x'), { code });
/** As drizzle wraps the errors of the driver. */
const wrapped = (cause: unknown) => new Error('Failed query', { cause });

test('an error before a connection exists says that nothing was written', () => {
  for (const code of ['ECONNREFUSED', 'ENOTFOUND', 'CONNECT_TIMEOUT', 'EHOSTUNREACH']) {
    expect([findLoss(wrapped(network(code))), findOutage(wrapped(network(code)))]).toEqual(['refused', 'nothing']);
  }
  expect([findLoss(answered('57P03')), findOutage(answered('57P03'))]).toEqual(['refused', 'nothing']);
});

test('a write to a standby or a demoted primary gives up the connection, and nothing was written', () => {
  expect([findLoss(answered('25006')), findOutage(answered('25006'))]).toEqual(['read-only', 'nothing']);
});

test('the outcome is unknown when an open connection is lost', () => {
  for (const code of ['ECONNRESET', 'EPIPE', 'CONNECTION_CLOSED']) {
    expect([findLoss(network(code)), findOutage(network(code))]).toEqual(['lost', 'unknown']);
  }
  for (const code of ['57P01', '57P02'])
    expect([findLoss(answered(code)), findOutage(answered(code))]).toEqual(['ended', 'unknown']);
});

test('a transaction that was not committed yet was not written, even if its statement may have been', () => {
  const lost = new Outage('TRANSACTION_LOST', 'nothing', 'lost', network('ECONNRESET'));
  expect(findOutage(wrapped(lost))).toBe('nothing');
});

test('a server without room for a connection is busy, and its connections are kept', () => {
  expect([findLoss(answered('53300')), findOutage(answered('53300'))]).toEqual([null, 'nothing']);
});

test('any other error is not an outage', () => {
  for (const error of [answered('23505'), new Error('x'), network('ENOENT'), null]) {
    expect([findLoss(error), findOutage(error)]).toEqual([null, null]);
  }
});
