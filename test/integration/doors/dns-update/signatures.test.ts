// Wrong signatures, and messages that are not updates: the answers of RFC 8945 and RFC 2136, and nothing is written.
import { expect, test } from 'vitest';
import { CLASS } from '#dns/message/message.ts';
import { signRequest, type TsigKey, takeTsig } from '#dns/message/tsig.ts';
import { concat, uint16 } from '#dns/wire/octets.ts';
import { exchange, readReply, update, updateKey } from '../../../support/doors/dns-update/client.ts';
import { change, updateMessage, when } from '../../../support/doors/dns-update/message.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ settings: { ZONESTEAD_UPDATE_LISTEN: '127.0.0.1:0' }, nameserver: false });
const port = service.updatePort();
const key = await updateKey(service);
const zoneObject = await service.zone();
const { zoneName: zone } = zoneObject;
const changes = [change.add(`www.${zone}`, 300, 'A', '192.0.2.1')];
const now = () => Math.floor(Date.now() / 1000);

async function expectNothingWritten(): Promise<void> {
  const { body } = await service.request('GET', `/zones/${zoneObject.id}/records`);
  expect(body).toEqual({ records: [] });
}

/** Sends octets, and reads the answer. */
async function send(octets: Uint8Array, by: TsigKey = key, tcp = false) {
  return readReply(await exchange(port, octets, { tcp }), octets, by);
}

test('a signature by an unknown key, another name or another algorithm is answered BADKEY, unsigned', async () => {
  const others = [
    { ...key, name: 'key-0.zonestead' },
    { ...key, name: 'another.example' },
    { ...key, algorithm: 'hmac-sha512' as const },
    await updateKey(service, { expiresAt: new Date(Date.now() - 1_000) }),
    await updateKey(service, { revokedAt: new Date() }),
    await updateKey(service, { networks: ['192.0.2.0/24'] }),
  ];
  for (const other of others) {
    expect(await update(port, other, { zone, changes })).toMatchObject({
      rcode: 'NOTAUTH',
      error: 'BADKEY',
      isSigned: false,
    });
  }
  await expectNothingWritten();
});

test('a signature with a wrong secret is answered BADSIG, unsigned', async () => {
  const other = { ...key, secret: Buffer.from('another') };
  expect(await update(port, other, { zone, changes })).toMatchObject({
    rcode: 'NOTAUTH',
    error: 'BADSIG',
    isSigned: false,
  });
  await expectNothingWritten();
});

test('a signature with a time too far away is answered BADTIME, signed, with the time of the service', async () => {
  for (const time of [now() - 400, now() + 400]) {
    const reply = await update(port, key, { zone, changes }, { time });
    expect(reply).toMatchObject({ rcode: 'NOTAUTH', error: 'BADTIME', isSigned: true });
    const other = takeTsig(reply.octets)?.tsig.other ?? new Uint8Array();
    expect(Math.abs(Buffer.from(other).readUIntBE(0, 6) - now())).toBeLessThan(200);
  }
  await expectNothingWritten();
});

test('a signature that is cut short is answered BADTRUNC, signed; below half of the digest FORMERR', async () => {
  const message = updateMessage({ zone, changes });
  for (const [octets, expected] of [
    [16, { rcode: 'NOTAUTH', error: 'BADTRUNC' }],
    [15, { rcode: 'FORMERR', error: null }],
    [0, { rcode: 'FORMERR', error: null }],
  ] as const) {
    expect(await send(truncated(signRequest(message, key, now()), octets))).toMatchObject(expected);
  }
  await expectNothingWritten();
});

test('a signature that is missing is answered REFUSED, with a sentence over TCP only', async () => {
  expect(await send(updateMessage({ zone, changes }))).toMatchObject({ rcode: 'REFUSED', error: null, text: null });
  const text = expect.stringContaining('TSIG');
  expect(await send(updateMessage({ zone, changes }), key, true)).toMatchObject({ rcode: 'REFUSED', text });
  await expectNothingWritten();
});

test('a message that is malformed, or malformed in an entry, is answered FORMERR', async () => {
  const record = changes[0]!;
  const wrong = [
    { changes: [{ ...record, class: 3 }] },
    { changes: [{ ...record, rdata: Uint8Array.of(1, 2, 3) }] },
    { changes: [{ ...record, rdata: new Uint8Array() }] },
    { changes: [{ ...record, type: 255 }] },
    { changes: [{ ...record, type: 252, class: CLASS.ANY, ttl: 0, rdata: new Uint8Array() }] },
    { changes: [{ ...change.deleteName(`www.${zone}`), ttl: 1 }] },
    { changes: [{ ...change.deleteName(`www.${zone}`), rdata: Uint8Array.of(1) }] },
    { changes: [{ ...change.delete(`www.${zone}`, 'A', '192.0.2.1'), ttl: 1 }] },
    { changes: [{ ...change.delete(`www.${zone}`, 'A', '192.0.2.1'), type: 255 }] },
    { prerequisites: [{ ...when.used(`www.${zone}`), ttl: 1 }] },
    { prerequisites: [{ ...when.used(`www.${zone}`), rdata: Uint8Array.of(1) }] },
    { prerequisites: [{ ...when.unused(`www.${zone}`), class: 4 }] },
    { prerequisites: [{ ...when.is(`www.${zone}`, 'A', '192.0.2.1'), type: 255 }] },
  ];
  for (const parts of wrong) {
    // The last change is a good one.
    const all = { zone, ...parts, changes: [...('changes' in parts ? parts.changes : []), ...changes] };
    expect(await update(port, key, all)).toMatchObject({
      rcode: 'FORMERR',
      isSigned: true,
      text: expect.stringMatching(/\.$/),
    });
  }
  const message = updateMessage({ zone, changes });
  const twoZones = Uint8Array.from(message);
  twoZones.set(uint16(2), 4);
  expect(await send(twoZones)).toMatchObject({ rcode: 'FORMERR', error: null });
  const notSoa = Uint8Array.from(message);
  notSoa.set(uint16(1), 12 + zone.length + 2);
  expect(await send(signRequest(notSoa, key, now()))).toMatchObject({ rcode: 'FORMERR', isSigned: true });
  await expectNothingWritten();
});

test('a message about a zone that is not here, or in another class, is answered NOTAUTH', async () => {
  for (const other of ['not-here.example', `sub.${zone}`, 'example', '']) {
    const reply = await update(port, key, { zone: other, changes });
    expect(reply).toMatchObject({ rcode: 'NOTAUTH', error: null, isSigned: true });
  }
  const chaos = Uint8Array.from(updateMessage({ zone, changes }));
  chaos.set(uint16(3), 12 + zone.length + 4);
  expect(await send(signRequest(chaos, key, now()))).toMatchObject({ rcode: 'NOTAUTH', isSigned: true });
  await expectNothingWritten();
});

test('a message with another opcode is answered NOTIMP, and a query SERVFAIL while no name server answers', async () => {
  for (const [opcode, rcode] of [
    [4, 'NOTIMP'],
    [2, 'NOTIMP'],
    [15, 'NOTIMP'],
    [0, 'SERVFAIL'],
  ] as const) {
    const message = Uint8Array.from(updateMessage({ zone, changes }));
    message.set(uint16(opcode << 11), 2);
    for (const tcp of [true, false]) expect(await send(message, key, tcp)).toMatchObject({ rcode, error: null });
  }
});

/** The same request with a MAC of another length. */
function truncated(request: Uint8Array, octets: number): Uint8Array {
  const { mac } = takeTsig(request)!.tsig;
  // The MAC is followed by the original id, the error and the length of the other data.
  const end = request.length - 6;
  const begin = end - mac.length;
  const cut = concat([
    request.subarray(0, begin - 2),
    uint16(octets),
    request.subarray(begin, begin + octets),
    request.subarray(end),
  ]);
  // The length of the RDATA is before the name of the algorithm and the fields before the MAC.
  const at = begin - 2 - 8 - ('hmac-sha256'.length + 2) - 2;
  const view = new DataView(cut.buffer);
  view.setUint16(at, view.getUint16(at) - (mac.length - octets));
  return cut;
}
