// A proxy between the operator and the service with faults on demand: for a number of requests of a kind, in one way,
// and then no more.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** `onward` passes the request on and gives the service's answer. */
export type HttpFault = (response: ServerResponse, onward: () => Promise<Answer>) => Promise<void>;

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export interface FaultyProxy {
  readonly url: string;
  /** The next `times` requests that match go wrong. */
  arm(fault: HttpFault, matches: (method: string, path: string) => boolean, times: number): void;
  /** How many did. */
  hits(): number;
  /** The statuses of the service's answers to those of them that were passed on. */
  answers(): readonly number[];
  close(): Promise<void>;
}

export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  let armed: { fault: HttpFault; matches: (method: string, path: string) => boolean; left: number } | null = null;
  let hits = 0;
  let answers: number[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { method = '', url = '' } = incoming;
    const onward = () => pass(target, incoming, Buffer.concat(chunks));
    try {
      if (armed && armed.left > 0 && armed.matches(method, url)) {
        armed.left -= 1;
        hits += 1;
        await armed.fault(response, async () => {
          const answer = await onward();
          answers.push(answer.status);
          return answer;
        });
      } else send(response, await onward());
    } catch {
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arm: (fault, matches, times) => {
      armed = { fault, matches, left: times };
      hits = 0;
      answers = [];
    },
    hits: () => hits,
    answers: () => answers,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Answers itself, as the service would with a code of its catalogue; nothing is passed on. */
export function refusing(status: number, error: string, retryAfter?: number): HttpFault {
  const headers = {
    'content-type': 'application/json',
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
  };
  const body = Buffer.from(JSON.stringify({ error, message: 'a fault of the test' }));
  return async (response) => send(response, { status, headers, body });
}

/** As something before the service answers that does not know the contract. */
export const strange: HttpFault = async (response) =>
  send(response, { status: 503, headers: { 'content-type': 'text/html' }, body: Buffer.from('<h1>no</h1>') });

/** The request never arrives. */
export const cutBefore: HttpFault = async (response) => void response.destroy();

/** It arrives and takes effect; its answer is lost. */
export const cutAfter: HttpFault = async (response, onward) => {
  await onward();
  response.destroy();
};

/** It takes effect; half of its answer arrives. */
export const half: HttpFault = async (response, onward) => {
  const { status, headers, body } = await onward();
  response.writeHead(status, headers);
  response.write(body.subarray(0, Math.floor(body.length / 2)));
  response.destroy();
};

/** No fault: the request is only counted. */
export const passing: HttpFault = async (response, onward) => send(response, await onward());

/** It takes effect, and the answer comes after 2 s. */
export const slow: HttpFault = async (response, onward) => {
  const answer = await onward();
  await sleep(2_000);
  send(response, answer);
};

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, headers);
  response.end(body);
}

function pass(target: string, incoming: IncomingMessage, body: Buffer): Promise<Answer> {
  const { host: _proxy, connection: _hop, ...headers } = incoming.headers;
  return new Promise((resolve, reject) => {
    const onward = request(
      new URL(incoming.url ?? '', target),
      { method: incoming.method ?? '', headers },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const { connection: _own, 'transfer-encoding': _coding, ...rest } = answer.headers;
          resolve({ status: answer.statusCode ?? 502, headers: rest, body: Buffer.concat(chunks) });
        });
      },
    );
    onward.on('error', reject);
    onward.end(body);
  });
}
