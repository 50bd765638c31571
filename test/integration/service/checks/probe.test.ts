// One probe at real servers: over TLS, at servers that are slow or close the connection, and what it leaves behind.
import { createServer as createHttp, type RequestListener } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import type { ProbeDefinition } from '#base/probes/definition.ts';
import { probe } from '#base/probes/probe.ts';
import { localCertificate } from '../../../support/http/serving-files.ts';

const { signal } = new AbortController();
const RHYTHM = { interval: 10, timeout: 1, failures: 3, retryInterval: 0.5, successes: 2 } as const;

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const send = (port: number, more: Partial<ProbeDefinition> = {}, until = signal) =>
  probe('127.0.0.1', { type: 'http', port, ...RHYTHM, ...more } as ProbeDefinition, until);
const http = (answer: RequestListener) => listen(createHttp(answer));
const NO_CONTENT: RequestListener = (_, response) => response.writeHead(204).end();

test('a certificate must be signed by a known authority, valid now, and for the host, unless the check says otherwise', async () => {
  const [valid, expired] = [await localCertificate(), await localCertificate(4_000)];
  const serve = ({ certificate, key }: typeof valid) => listen(createHttps({ cert: certificate, key }, NO_CONTENT));
  const [port, old] = [await serve(valid), await serve(expired)];
  expect(await send(port, { type: 'https', host: 'localhost' })).toBe(
    'The certificate is signed by an unknown authority.',
  );
  expect(await send(port, { type: 'https', tls: 'none' })).toBeNull();
  const before = getCACertificates('default');
  onTestFinished(() => setDefaultCACertificates(before));
  setDefaultCACertificates([...before, valid.authorities, expired.authorities]);
  expect(await send(port, { type: 'https', host: 'localhost' })).toBeNull();
  expect(await send(port, { type: 'https' })).toBeNull();
  expect(await send(port, { type: 'https', host: 'www.example.com' })).toBe('The certificate is for other names.');
  expect(await send(old, { type: 'https', host: 'localhost' })).toBe('The certificate has expired.');
});

test('a server that does not answer in time, closes the connection, or speaks no HTTP has its sentence', async () => {
  const late = 'The server does not answer within 1 s.';
  expect(await send(await http(() => undefined))).toBe(late);
  // The headers come octet by octet.
  const slow = createTcp((socket) => {
    const timer = setInterval(() => socket.write('H'), 100);
    socket.on('close', () => clearInterval(timer)).on('error', () => undefined);
  });
  expect(await send(await listen(slow))).toMatch(/does not answer within 1 s|is not HTTP/);
  const closing = createTcp((socket) => socket.destroy());
  expect(await send(await listen(closing))).toBe('The connection is closed before an answer.');
  const other = createTcp((socket) => socket.end('220 mail.example\r\n').on('error', () => undefined));
  expect(await send(await listen(other))).toBe('The answer is not HTTP.');
  const port = await http(NO_CONTENT);
  expect(await send(port)).toBeNull();
  expect(await send(port, { type: 'tcp' })).toBeNull();
});

test('a probe leaves no timer, listener or connection behind, also when the process ends', async () => {
  const end = new AbortController();
  let listeners = 0;
  const { addEventListener, removeEventListener } = end.signal;
  end.signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
    listeners += 1;
    addEventListener.apply(end.signal, args);
  };
  end.signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
    listeners -= 1;
    removeEventListener.apply(end.signal, args);
  };
  const count = () => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;
  const port = await http(NO_CONTENT);
  const before = count();
  for (let at = 0; at < 20; at += 1) expect(await send(port, { timeout: 60 }, end.signal)).toBeNull();
  expect(count() - before).toBeLessThan(20);
  expect(listeners).toBe(0);
  const hanging = send(await http(() => undefined), { timeout: 60 }, end.signal);
  setTimeout(() => end.abort(new Error('the process ends')), 50);
  await expect(hanging).rejects.toThrow('the process ends');
  expect(listeners).toBe(0);
  await expect(send(port, {}, end.signal)).rejects.toThrow('the process ends');
});
