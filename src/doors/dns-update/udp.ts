// Messages over UDP: each datagram is one, and gets at most one answer.
import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { peerAddress } from '#base/address.ts';
import type { Answerer } from './transport.ts';

export interface UdpOptions {
  answer: Answerer;
  /** The most datagrams in progress. Further ones are dropped; their clients send them again. */
  inProgress: number;
  onDropped(): void;
  onError(error: unknown): void;
  signal: AbortSignal;
}

/** Listens until it is closed. @throws if the address is in use */
export async function listenUdp(at: { host: string; port: number }, options: UdpOptions): Promise<Socket> {
  const { answer, inProgress, onDropped, onError, signal } = options;
  const socket = createSocket({ type: isIPv6(at.host) ? 'udp6' : 'udp4' });
  let runningCount = 0;
  socket.on('message', (octets, { address, port }) => {
    if (runningCount >= inProgress) return onDropped();
    runningCount += 1;
    const send = (answer: Uint8Array) =>
      new Promise<void>((resolve, reject) => {
        socket.send(answer, port, address, (error) => (error ? reject(error) : resolve()));
      });
    // A copy, because the buffers of a socket are parts of larger ones.
    const message = Uint8Array.from(octets);
    answer(message, { protocol: 'udp', client: { address: peerAddress(address) ?? address, port }, send, signal })
      .catch(onError)
      .finally(() => {
        runningCount -= 1;
      });
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind({ address: at.host, port: at.port }, () => {
      socket.off('error', reject);
      resolve();
    });
  });
  socket.on('error', onError);
  return socket;
}
