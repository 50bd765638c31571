// One address in front of several name servers, over UDP and TCP, as a Service of Kubernetes has it: each query goes to
// one of the servers that it leads to, and a server that does not answer is not replaced by another one.
import { createSocket } from 'node:dgram';
import type { ProbeEndpoint } from '#nameserver/probe/probe.ts';
import { startTcpRelay } from '../http/tcp-relay.ts';

export interface ServiceAddress extends ProbeEndpoint {
  /** The ports of the servers at 127.0.0.1, in turn. With none, no query is answered. */
  lead(...ports: number[]): void;
  close(): Promise<void>;
}

/** A resolver has asked again by then. */
const ANSWER_MS = 3_000;

export async function startServiceAddress(...first: number[]): Promise<ServiceAddress> {
  const relay = await startTcpRelay(...first);
  let ports = first;
  let queries = 0;
  const datagrams = createSocket('udp4');
  datagrams.on('message', (query, from) => {
    const port = ports[queries++ % Math.max(1, ports.length)];
    if (port === undefined) return;
    const upstream = createSocket('udp4');
    const timer = setTimeout(() => upstream.close(), ANSWER_MS);
    const end = () => {
      clearTimeout(timer);
      upstream.close();
    };
    upstream.once('message', (answer) => {
      datagrams.send(answer, from.port, from.address);
      end();
    });
    // A port that is closed looks like a machine that is down.
    upstream.once('error', end);
    upstream.send(query, port, '127.0.0.1');
  });
  await new Promise<void>((resolve, reject) => {
    datagrams.once('error', reject);
    datagrams.bind(relay.port, '127.0.0.1', resolve);
  });
  return {
    address: '127.0.0.1',
    port: relay.port,
    lead: (...next) => {
      ports = next;
      relay.lead(...next);
    },
    close: async () => {
      await new Promise<void>((resolve) => datagrams.close(() => resolve()));
      await relay.close();
    },
  };
}
