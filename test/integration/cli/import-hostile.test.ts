// Sources of an import that try to hang it, to fill its memory, or to choose the zone that it writes.
import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openSources, type SourceOptions } from '#cli/import/sources/open.ts';
import { CLASS } from '#dns/message/message.ts';
import { concat, nameToWire, uint16 } from '#dns/wire/octets.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';

const folder = await temporaryFolder('import-hostile');
/** So many MiB end a source that nothing else ends. */
const ENOUGH = 100;

async function open(word: string, options: SourceOptions = {}, signal = AbortSignal.timeout(60_000)) {
  const zones = [];
  for await (const zone of openSources([word], options, signal)) zones.push(zone);
  return zones;
}

async function repository(name: string): Promise<string> {
  const path = join(folder, name);
  await mkdir(path);
  return path;
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => server.close());
  return (server.address() as AddressInfo).port;
}

test('a device, a pipe and a link out of a folder of octoDNS are refused, and a link inside of it is read', async () => {
  const devices = await repository('devices');
  await symlink('/dev/zero', join(devices, 'example.com.yaml'));
  await expect(open(devices)).rejects.toThrow('example.com.yaml cannot be read: it is a link out of its folder');
  const pipes = await repository('pipes');
  execFileSync('mkfifo', [join(pipes, 'example.com.yaml')]);
  await expect(open(pipes)).rejects.toThrow('example.com.yaml cannot be read: it is not a file');
  const links = await repository('links');
  await writeFile(join(links, 'a.example.yaml'), 'www: {type: A, value: 192.0.2.1}\n');
  await symlink('a.example.yaml', join(links, 'b.example.yaml'));
  expect((await open(links)).map(({ zone }) => zone)).toEqual(['a.example', 'b.example']);
});

test('a device that is named itself is refused, and a pipe that never gets a writer is left by a signal', async () => {
  await expect(open('/dev/zero')).rejects.toThrow('/dev/zero cannot be read: it is not a file');
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  await expect(open(pipe, {}, AbortSignal.timeout(200))).rejects.toThrow('aborted');
  const reading = open(pipe);
  await writeFile(pipe, '$ORIGIN pipe.example.\n');
  expect((await reading).map(({ zone }) => zone)).toEqual(['pipe.example']);
});

test('a file of more than 64 MiB is refused', async () => {
  const path = join(folder, 'large.zone');
  await writeFile(path, Buffer.alloc(64 * 1024 * 1024 + 1, '\n'));
  await expect(open(path)).rejects.toThrow('large.zone cannot be read: it has more than 64 MiB');
});

test('aliases of YAML cannot make more records than a zone has', async () => {
  const list = Array.from({ length: 2_000 }, (_, at) => `192.0.${at >> 8}.${at & 255}`);
  const names = Array.from({ length: 4_000 }, (_, at) => `n${at}: {type: A, values: *all}`);
  const path = join(folder, 'aliases.example.yaml');
  await writeFile(path, `'': {type: A, values: &all [${list.join(', ')}]}\n${names.join('\n')}\n`);
  await expect(open(path)).rejects.toThrow('it has more than 500000 records');
  const unused = Array.from({ length: 4_000 }, (_, at) => `n${at}: {type: A, value: 192.0.2.1, x: *all}`);
  await writeFile(path, `'': {type: A, values: &all [${list.join(', ')}]}\n${unused.join('\n')}\n`);
  await expect(open(path)).rejects.toThrow('the aliases of the file make too many values');
  await writeFile(path, 'a: &a {type: A, value: *a}\n');
  await expect(open(path)).rejects.toThrow('line');
});

test('the keys of YAML are compared in linear time, and a key that is there twice is refused', async () => {
  const path = join(folder, 'keys.example.yaml');
  const costOf = async (length: number) => {
    await writeFile(path, Array.from({ length }, (_, at) => `n${at}: {type: A, value: 192.0.2.1}\n`).join(''));
    const before = process.cpuUsage();
    await open(path);
    return process.cpuUsage(before).user;
  };
  await costOf(10_000);
  const [few, many] = [await costOf(10_000), await costOf(30_000)];
  // Three times as many keys, compared with each other, need nine times as long.
  expect(many / few).toBeLessThan(5);
  await writeFile(
    path,
    'a: {type: A, value: 192.0.2.1}\nb: {type: A, value: 192.0.2.1}\na: {type: A, value: 192.0.2.2}\n',
  );
  await expect(open(path)).rejects.toThrow('line 3: the key "a" is there twice');
});

test('a PowerDNS does not choose the zone that the import writes', async () => {
  const server = createHttpServer((_, reply) =>
    reply.end(
      JSON.stringify({
        name: 'corp.example.',
        rrsets: [{ name: 'vpn.corp.example.', type: 'A', ttl: 300, records: [{ content: '203.0.113.66' }] }],
      }),
    ),
  );
  const port = await listen(server);
  const powerdnsKey = join(folder, 'pdns.key');
  await writeFile(powerdnsKey, 'secret');
  await expect(open(`powerdns+http://127.0.0.1:${port}/customer.example`, { powerdnsKey })).rejects.toThrow(
    'the server answers with the zone "corp.example."',
  );
  expect(await open(`powerdns+http://127.0.0.1:${port}/CORP.example`, { powerdnsKey })).toHaveLength(1);
});

test('a PowerDNS that never ends its answer is left after 64 MiB', async () => {
  const server = createHttpServer((_, reply) => {
    const chunk = Buffer.alloc(1024 * 1024, ' ');
    let left = ENOUGH;
    const send = () => {
      while (!reply.destroyed && left-- > 0 && reply.write(chunk));
      if (left < 0) reply.destroy();
    };
    reply.on('drain', send);
    send();
  });
  const port = await listen(server);
  const powerdnsKey = join(folder, 'endless.key');
  await writeFile(powerdnsKey, 'secret');
  await expect(open(`powerdns+http://127.0.0.1:${port}/a.example`, { powerdnsKey })).rejects.toThrow(
    'it has more than 64 MiB',
  );
});

test('a transfer that never ends is left after 64 MiB', async () => {
  const apex = nameToWire('a.example');
  const record = (type: number, rdata: Uint8Array) =>
    concat([apex, uint16(type), uint16(CLASS.IN), uint16(0), uint16(300), uint16(rdata.length), rdata]);
  const soa = record(6, concat([apex, apex, new Uint8Array(20)]));
  const text = concat(Array.from({ length: 230 }, () => concat([Uint8Array.of(255), new Uint8Array(255).fill(0x61)])));
  const port = await listen(
    createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', (query: Buffer) => {
        const id = query.subarray(2, 4);
        const message = (answer: Uint8Array) => {
          const body = concat([id, uint16(0x8400), uint16(0), uint16(1), uint16(0), uint16(0), answer]);
          return concat([uint16(body.length), body]);
        };
        const more = message(record(16, text));
        let left = 17 * ENOUGH;
        const send = () => {
          while (!socket.destroyed && left-- > 0 && socket.write(more));
          if (left < 0) socket.destroy();
        };
        socket.on('drain', send);
        socket.write(message(soa));
        send();
      });
    }),
  );
  await expect(open(`axfr://127.0.0.1:${port}/a.example`)).rejects.toThrow('the server sends more than 64 MiB');
});
