// The probe with name servers that answer correctly, wrongly, in parts or not at all.
import { randomBytes } from 'node:crypto';
import dnsPacket from 'dns-packet';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { parseRdata, type RecordType } from '#dns/types/index.ts';
import { decodeMessage, encodeQuery } from '#nameserver/probe/message.ts';
import {
  ask,
  NoAnswer,
  parseOverrides,
  resolveServers,
  rrsetServed,
  type WireType,
  zoneServed,
} from '#nameserver/probe/probe.ts';
import { type FakeNameServer, type Script, startNameServer } from '../../support/dns/fake-nameserver.ts';

const open: FakeNameServer[] = [];

async function server(script: Script, options?: { tcp?: boolean }): Promise<FakeNameServer> {
  const started = await startNameServer(script, options);
  open.push(started);
  return started;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

const { signal } = new AbortController();
/** For servers that answer: a busy machine may take some time. */
const patient = { timeoutMs: 20_000, signal };
/** For servers that do not answer. */
const short = { timeoutMs: 300, signal };

/** The wire form of a value, as the record rules return it. */
function wire(type: RecordType, content: string, priority?: number): Uint8Array {
  const verdict = parseRdata(type, content, priority);
  if (!verdict.ok) throw new Error(verdict.problem.message);
  return verdict.value.wire;
}

const a = (data: string, ttl = 60, name = 'www.example.org') => ({ name, type: 'A', ttl, data });
const soa = (serial: number, name = 'example.org') => ({
  name,
  type: 'SOA',
  ttl: 300,
  data: { mname: 'ns1.example.org', rname: 'h.example.org', serial, refresh: 1, retry: 2, expire: 3, minimum: 4 },
});
const www = { name: 'www.example.org', type: 'A' as const, rdatas: [wire('A', '192.0.2.1')] };

test('a question is a plain iterative query with EDNS0, as another implementation reads it', () => {
  const packet = dnsPacket.decode(
    Buffer.from(encodeQuery(0xabcd, { name: 'WWW.Example.org.', type: 'MX', dnssec: true })),
  );
  expect(packet).toMatchObject({ id: 0xabcd, type: 'query', flag_rd: false });
  expect(packet.questions).toMatchObject([{ name: 'www.example.org', type: 'MX', class: 'IN' }]);
  const byNumber = dnsPacket.decode(Buffer.from(encodeQuery(1, { name: 'a.example.org', type: 'TYPE65280' })));
  expect(byNumber.questions).toMatchObject([{ type: 'UNKNOWN_65280' }]);
  expect(packet.additionals).toMatchObject([{ type: 'OPT', udpPayloadSize: 1232, flag_do: true }]);
});

test('a question has another id and comes from another port each time', async () => {
  const ns = await server(() => ({ answers: [a('192.0.2.1')] }));
  for (let i = 0; i < 8; i++) await ask(ns, { name: 'www.example.org', type: 'A' }, patient);
  expect(new Set(ns.queries.map((query) => query.packet.id)).size).toBeGreaterThan(6);
  expect(new Set(ns.queries.map((query) => query.port)).size).toBeGreaterThan(4);
});

test('an answer has RDATA in the form of the record rules', async () => {
  const cases: [WireType & RecordType, unknown, string, number?][] = [
    ['A', '192.0.2.1', '192.0.2.1'],
    ['AAAA', '2001:db8::1', '2001:db8::1'],
    ['CNAME', 'Target.Example.ORG', 'target.example.org'],
    ['MX', { preference: 20, exchange: 'Mail.example.org' }, 'mail.example.org', 20],
    ['TXT', ['one', 'two'], '"one" "two"'],
    ['NS', 'ns1.child.example.org', 'ns1.child.example.org'],
    ['PTR', 'HOST.example.org', 'host.example.org'],
    ['SRV', { priority: 1, weight: 2, port: 53, target: 'sip.example.org' }, '1 2 53 sip.example.org'],
    ['CAA', { flags: 0, tag: 'issue', value: 'ca.example' }, '0 issue "ca.example"'],
  ];
  for (const [type, data, content, priority] of cases) {
    const ns = await server(() => ({ answers: [{ name: 'X.example.ORG', type, ttl: 60, data }] }));
    const answer = await ask(ns, { name: 'x.Example.org.', type }, patient);
    expect(answer.answers[0]?.name).toBe('x.example.org');
    expect(Buffer.from(answer.answers[0]?.rdata ?? []).toString('hex'), type).toBe(
      Buffer.from(wire(type, content, priority)).toString('hex'),
    );
  }
});

test('an answer may have compressed names, in the owner and inside RDATA (RFC 1035 section 4.1.4)', () => {
  // Header; question x.example.org MX at offset 12 (example.org is at 14); answer: owner → 12, 10 mail.→14.
  const hex =
    '0001 8400 0001 0001 0000 0000 01 78 07 6578616d706c65 03 6f7267 00 000f 0001' +
    'c00c 000f 0001 0000003c 0009 000a 04 6d61696c c00e';
  const message = decodeMessage(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
  expect(message.answers).toHaveLength(1);
  expect(message.answers[0]).toMatchObject({ name: 'x.example.org', type: 15, ttl: 60 });
  expect([...(message.answers[0]?.rdata ?? [])]).toEqual([...wire('MX', 'mail.example.org', 10)]);
});

test('an answer has names of NAPTR, DNAME and SVCB in lower case, and a type by its number as it is', () => {
  // Header; question . TYPE at offset 12; the answer with RDATA. 4578 is "Ex", 6578 is "ex".
  const rdataOf = (type: string, octets: string) => {
    const length = (octets.length / 2).toString(16).padStart(4, '0');
    const hex = `0001840000010001000000000 0${type}0001 00${type}00010000003c${length}${octets}`.replaceAll(' ', '');
    return Buffer.from(decodeMessage(Buffer.from(hex, 'hex')).answers[0]?.rdata ?? []).toString('hex');
  };
  expect(rdataOf('0023', '000100020155024578000245780000'.slice(0, -2))).toBe('0001000201550245780002657800');
  expect(rdataOf('0027', '02457800')).toBe('02657800');
  expect(rdataOf('0040', '00010245780000010003024578')).toBe('00010265780000010003024578');
  expect(rdataOf('ff00', '02457800')).toBe('02457800');
});

test('an answer that is truncated over UDP is requested again over TCP, even if it ends in the middle of a record', async () => {
  const values = Array.from({ length: 100 }, (_, i) => a(`192.0.2.${i}`));
  const ns = await server(({ transport }) =>
    transport === 'udp' ? { tc: true, answers: values, cutAt: 201 } : { answers: values },
  );
  const answer = await ask(ns, { name: 'www.example.org', type: 'A' }, patient);
  expect(answer).toMatchObject({ transport: 'tcp', aa: true, rcode: 0 });
  expect(answer.answers).toHaveLength(100);
});

test('an answer with a wrong id or to another question is ignored, and the right one after it is accepted', async () => {
  const ns = await server(() => [
    { idOffset: 1, answers: [a('192.0.2.66')] },
    { question: 'evil.example.org', answers: [a('192.0.2.66')] },
    { answers: [a('192.0.2.1')] },
  ]);
  const answer = await ask(ns, { name: 'www.example.org', type: 'A' }, patient);
  expect([...(answer.answers[0]?.rdata ?? [])]).toEqual([192, 0, 2, 1]);
  expect(ns.queries).toHaveLength(1);
});

test('an answer that gets lost is requested again a bounded number of times', async () => {
  let lost = 0;
  const ns = await server(() => (++lost <= 2 ? undefined : { answers: [a('192.0.2.1')] }));
  expect((await ask(ns, { name: 'www.example.org', type: 'A' }, short)).answers).toHaveLength(1);
  expect(ns.queries).toHaveLength(3);

  const silent = await server(() => undefined);
  const error = await ask(silent, { name: 'www.example.org', type: 'A' }, short).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(NoAnswer);
  expect((error as NoAnswer).message).toBe('does not answer over UDP');
  await expect.poll(() => silent.queries.length).toBe(3);
});

test('an answer from a closed port fails at once', async () => {
  const ns = await startNameServer(() => undefined);
  await ns.close();
  // With this limit the test would time out if the probe waited for the closed port.
  const longer = { timeoutMs: 300_000, signal };
  await expect(ask(ns, { name: 'a.example', type: 'A' }, longer)).rejects.toBeInstanceOf(NoAnswer);
});

test('an answer over TCP to another question, a truncated one and a missing one are not answers', async () => {
  const scripts: Script[] = [
    () => ({ idOffset: 1 }),
    () => ({ cutAt: 14 }),
    ({ transport }) => (transport === 'tcp' ? undefined : {}),
  ];
  for (const script of scripts) {
    const ns = await server(script);
    await expect(ask(ns, { name: 'a.example', type: 'A' }, { ...short, transport: 'tcp' })).rejects.toThrow(
      'does not answer over TCP',
    );
  }
});

test('an answer is no longer awaited once the caller aborts', async () => {
  const ns = await server(() => undefined);
  const abort = new AbortController();
  const reason = new Error('shutting down');
  setTimeout(() => abort.abort(reason), 20);
  const options = { timeoutMs: 10_000, signal: abort.signal };
  await expect(ask(ns, { name: 'a.example', type: 'A' }, options)).rejects.toBe(reason);
  await expect(rrsetServed(www, [ns], options)).rejects.toBe(reason);
});

test('an answer made of random bytes is read or refused, and never fails otherwise', () => {
  const valid = dnsPacket.encode({
    type: 'response',
    id: 1,
    questions: [{ name: 'a.b', type: 'A' }],
    answers: [a('192.0.2.1')],
  });
  const read = (bytes: Uint8Array) => {
    try {
      decodeMessage(bytes);
    } catch (error) {
      expect(error).toBeInstanceOf(RangeError);
    }
  };
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.integer({ min: 0, max: valid.length - 1 }), (noise, at) => {
      read(noise);
      const broken = Uint8Array.from(valid);
      broken.set(noise.subarray(0, Math.min(noise.length, broken.length - at)), at);
      read(broken);
    }),
    { numRuns: 300 },
  );
  // A pointer to itself, and a run of pointers.
  const loop = Buffer.concat([Buffer.from('000184000001000000000000', 'hex'), Buffer.from('c00c00010001', 'hex')]);
  expect(() => decodeMessage(loop)).toThrow(RangeError);
  expect(() => decodeMessage(randomBytes(5))).toThrow(RangeError);
});

describe('an RRset', () => {
  const verdictOf = async (script: Script, expected: Parameters<typeof rrsetServed>[0] = www, verifyTcp = false) => {
    const ns = await server(script);
    const [verdict] = await rrsetServed(expected, [ns], { ...patient, verifyTcp });
    return verdict?.ok ? 'ok' : verdict?.problem;
  };

  test('an RRset is served if it has all our values, even if other owners have values there', async () => {
    expect(await verdictOf(() => ({ answers: [a('192.0.2.1')] }))).toBe('ok');
    expect(await verdictOf(() => ({ answers: [a('192.0.2.9'), a('192.0.2.1')] }))).toBe('ok');
    expect(await verdictOf(() => ({ answers: [a('192.0.2.1')] }), { ...www, name: 'WWW.Example.Org.', ttl: 60 })).toBe(
      'ok',
    );
  });

  test('an RRset is not served if values are missing, and the verdict counts them', async () => {
    const two = { ...www, rdatas: [wire('A', '192.0.2.1'), wire('A', '192.0.2.2')] };
    expect(await verdictOf(() => ({ answers: [] }))).toBe('does not serve it yet');
    expect(await verdictOf(() => ({ answers: [a('192.0.2.1')] }), two)).toBe('lacks 1 of 2 values');
    expect(await verdictOf(() => ({ rcode: 3 }))).toBe('says the name does not exist');
    expect(await verdictOf(() => ({ answers: [a('192.0.2.1', 60, 'other.example.org')] }))).toBe(
      'does not serve it yet',
    );
  });

  test('an RRset is not served with another TTL or while a removed value stays', async () => {
    expect(await verdictOf(() => ({ answers: [a('192.0.2.1', 300)] }), { ...www, ttl: 60 })).toBe(
      'serves TTL 300 instead of 60',
    );
    const edited = { ...www, absent: [wire('A', '192.0.2.9')] };
    expect(await verdictOf(() => ({ answers: [a('192.0.2.1'), a('192.0.2.9')] }), edited)).toBe(
      'still serves a removed value',
    );
    const removed = { ...edited, rdatas: [] };
    expect(await verdictOf(() => ({ rcode: 3 }), removed)).toBe('ok');
    expect(await verdictOf(() => ({ answers: [a('192.0.2.1')] }), removed)).toBe('ok');
  });

  test('an RRset is not served by a server that refuses, fails or lacks authority', async () => {
    expect(await verdictOf(() => ({ rcode: 5 }))).toBe('answers REFUSED: it does not serve the zone');
    expect(await verdictOf(() => ({ rcode: 2 }))).toBe('answers SERVFAIL');
    expect(await verdictOf(() => ({ aa: false, answers: [a('192.0.2.1')] }))).toBe(
      'answers without authority for the zone',
    );
  });

  test('an RRset at or below a zone cut is served as a referral, which has no authority (RFC 1034 section 4.2.1)', async () => {
    const referral: Script = () => ({
      aa: false,
      authorities: [{ name: 'child.example.org', type: 'NS', ttl: 60, data: 'ns1.child.example.org' }],
      additionals: [a('192.0.2.53', 60, 'ns1.child.example.org')],
    });
    const cut = { name: 'child.example.org', type: 'NS' as const, rdatas: [wire('NS', 'ns1.child.example.org')] };
    const glue = { name: 'ns1.child.example.org', type: 'A' as const, rdatas: [wire('A', '192.0.2.53')] };
    expect(await verdictOf(referral, cut)).toBe('ok');
    expect(await verdictOf(referral, glue)).toBe('ok');
    expect(await verdictOf(referral, { ...glue, name: 'x.child.example.org' })).toBe('does not serve it yet');
  });

  test('an RRset is requested over TCP too if the option is set, and over UDP only otherwise', async () => {
    const ns = await server(({ transport }) => ({ answers: transport === 'udp' ? [a('192.0.2.1')] : [] }));
    expect((await rrsetServed(www, [ns], patient))[0]?.ok).toBe(true);
    expect((await rrsetServed(www, [ns], { ...patient, verifyTcp: true }))[0]?.problem).toBe('does not serve it yet');
    const deaf = await server(() => ({ answers: [a('192.0.2.1')] }), { tcp: false });
    // It answers over UDP, so it is not away.
    expect((await rrsetServed(www, [deaf], { ...patient, verifyTcp: true }))[0]).toMatchObject({
      problem: 'does not answer over TCP',
      isSilent: false,
    });
  });

  test('an RRset gets a verdict for every server, and one that does not answer does not affect the others', async () => {
    const good = await server(() => ({ answers: [a('192.0.2.1')] }));
    const silent = await server(() => undefined);
    const late = await server(() => ({ rcode: 3 }));
    const verdicts = await rrsetServed(www, [good, silent, late], { timeoutMs: 2_000, attempts: 1, signal });
    expect(verdicts.map(({ server: { name }, ok, problem, isSilent }) => [name, ok, problem, isSilent])).toEqual([
      [good.name, true, null, false],
      [silent.name, false, 'does not answer over UDP', true],
      [late.name, false, 'says the name does not exist', false],
    ]);
  });
});

describe('a zone', () => {
  const verdictOf = async (script: Script, minSerial?: number) =>
    (await zoneServed({ zone: 'example.org', minSerial }, [await server(script)], patient))[0];

  test('a zone is served if the SOA has authority and is new enough', async () => {
    expect(await verdictOf(() => ({ answers: [soa(7)] }), 7)).toMatchObject({ ok: true, serial: 7, problem: null });
    expect(await verdictOf(() => ({ answers: [soa(7)] }))).toMatchObject({ ok: true, serial: 7 });
    expect(await verdictOf(() => ({ answers: [soa(6)] }), 7)).toMatchObject({
      ok: false,
      serial: 6,
      problem: 'has serial 6, older than 7',
    });
    expect(await verdictOf(() => ({ answers: [] }))).toMatchObject({ ok: false, problem: 'has no SOA for the zone' });
    expect(await verdictOf(() => ({ rcode: 5 }))).toMatchObject({ ok: false, serial: null });
    expect(await verdictOf(() => ({ aa: false, answers: [soa(7)] }))).toMatchObject({ ok: false });
    expect(await verdictOf(() => ({ answers: [soa(7, 'org')] }))).toMatchObject({ problem: 'has no SOA for the zone' });
  });

  test('a zone has serials that wrap around (RFC 1982 section 3.2)', async () => {
    const ok = async (served: number, least: number) =>
      (await verdictOf(() => ({ answers: [soa(served)] }), least))?.ok;
    expect(await ok(0, 4_294_967_295)).toBe(true);
    expect(await ok(4_294_967_295, 0)).toBe(false);
    expect(await ok(2_147_483_647, 0)).toBe(true);
  });
});

describe('the identity of a server (RFC 5001)', () => {
  const opt = (code: number, data: string) =>
    ({ type: 'OPT', name: '.', udpPayloadSize: 1232, options: [{ code, data: Buffer.from(data) }] }) as never;
  const nodeOf = async (script: Script) =>
    (await zoneServed({ zone: 'example.org' }, [await server(script)], patient))[0]?.node;

  test('the identity of a server (RFC 5001) is asked for with an empty option, and is a short text', async () => {
    const packet = dnsPacket.decode(Buffer.from(encodeQuery(1, { name: 'example.org', type: 'SOA', nsid: true })));
    expect((packet.additionals[0] as unknown as { options: object[] }).options).toMatchObject([
      { code: 3, data: Buffer.alloc(0) },
    ]);
    expect(await nodeOf(() => ({ answers: [soa(7)], additionals: [opt(3, 'ns1')] }))).toBe('ns1');
  });

  test.each([
    ['another option', [opt(10, 'ns1')]],
    ['control characters', [opt(3, 'ns1\n')]],
    ['a long text', [opt(3, 'n'.repeat(64))]],
    ['nothing', []],
  ])('the identity of a server (RFC 5001) is unknown with %s', async (_, additionals) => {
    expect(await nodeOf(() => ({ answers: [soa(7)], additionals }))).toBe(null);
  });
});

const resolver = {
  resolve4: async (name: string) => {
    if (name === 'ns1.example') return ['192.0.2.2', '192.0.2.1'];
    throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
  },
  resolve6: async (name: string) => {
    if (name === 'ns6.example') return ['2001:db8::1'];
    throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
  },
};

test('name servers are found by override, then by IPv4, then by IPv6; the others are named', async () => {
  const overrides = parseOverrides('NS0.example.=127.0.0.1:5300');
  const names = ['ns0.example', 'NS1.example.', 'ns1.example', 'ns6.example', 'nowhere.example'];
  expect(await resolveServers(names, { overrides, resolver, signal })).toEqual({
    servers: [
      { name: 'ns0.example', address: '127.0.0.1', port: 5300 },
      { name: 'ns1.example', address: '192.0.2.1', port: 53 },
      { name: 'ns1.example', address: '192.0.2.2', port: 53 },
      { name: 'ns6.example', address: '2001:db8::1', port: 53 },
    ],
    unresolved: [{ name: 'nowhere.example', problem: 'has no address' }],
  });
});

test('name servers are no longer resolved once the caller aborts', async () => {
  const never = { resolve4: () => new Promise<string[]>(() => undefined), resolve6: async () => [] };
  const abort = new AbortController();
  const reason = new Error('shutting down');
  const pending = resolveServers(['ns1.example'], { overrides: new Map(), resolver: never, signal: abort.signal });
  abort.abort(reason);
  await expect(pending).rejects.toBe(reason);
});

test('name servers can be overridden by text', () => {
  expect([...parseOverrides('ns1.example=127.0.0.1:5300, ns2.example=[::1]:53,ns3.example=192.0.2.1,')]).toEqual([
    ['ns1.example', { address: '127.0.0.1', port: 5300 }],
    ['ns2.example', { address: '::1', port: 53 }],
    ['ns3.example', { address: '192.0.2.1', port: 53 }],
  ]);
  expect(parseOverrides('').size).toBe(0);
  for (const wrong of [
    'ns1.example',
    'ns1.example=localhost:53',
    'ns1=127.0.0.1:0',
    'ns1=127.0.0.1:99999',
    '=127.0.0.1',
  ]) {
    expect(() => parseOverrides(wrong)).toThrow(/is not an override: write name=address:port/);
  }
});
