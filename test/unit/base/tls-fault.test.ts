// The sentences for TLS connections that fail; test/integration/client/certificates.test.ts has real ones.
import { expect, test } from 'vitest';
import { explainTls } from '#base/tls-fault.ts';

const PEER = { server: 'the api', authorities: 'CA_FILE', address: 'URL' };
const fail = (code: string, more: object = {}) => Object.assign(new Error('text'), { code, ...more });
const explain = (code: string, more?: object) =>
  explainTls(new Error('outer', { cause: new Error('middle', { cause: fail(code, more) }) }), PEER);

test.each([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', /does not trust \(DEPTH_ZERO_SELF_SIGNED_CERT\): set CA_FILE to a file/],
  ['CERT_HAS_EXPIRED', /has expired: renew it; if it is valid, the clock of this machine is ahead/],
  ['CERT_NOT_YET_VALID', /is not valid yet: compare the clock of this machine with/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', /is for other names \(text\): use one of them in URL/],
  ['ERR_SSL_WRONG_VERSION_NUMBER', /does not speak TLS at this port: set URL to its address for TLS/],
  ['ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', /the api has no certificate: see its log/],
])('the cause %s of a failed connection has a sentence that says what to do', (code, sentence) => {
  expect(explain(code)).toMatch(sentence);
});

test('the names of a certificate are listed up to a limit, and other errors have no sentence', () => {
  const subjectaltname = `DNS:${'a'.repeat(10_000)}`;
  const text = explain('ERR_TLS_CERT_ALTNAME_INVALID', { cert: { subjectaltname } }) ?? '';
  expect(text).toMatch(/is for DNS:a{296} \(text\)/);
  expect(explain('ECONNREFUSED')).toBeNull();
  expect(explainTls('text', PEER)).toBeNull();
});
