// HTTP as bytes on a socket, for requests that no client library would send, and for clients that are slow on purpose.
import { connect, type Socket } from 'node:net';

const LIMIT_MS = 60_000;

export interface BareReply {
  status: number;
  /** Status line and headers, names in lower case. */
  head: string;
  body: Record<string, unknown>;
  /** Whether the server ended the connection. */
  closed: boolean;
}

/**
 * Sends the bytes and reads until the answer is complete, or until the end of the connection after `connection: close`.
 */
export function sendBare(url: string, bytes: string | Uint8Array, limitMs = LIMIT_MS): Promise<BareReply> {
  return new Promise((resolve, reject) => {
    const socket = open(url);
    let text = '';
    const done = (closed: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      try {
        resolve({ ...parse(text), closed });
      } catch {
        reject(new Error(`not an answer of the contract: ${JSON.stringify(text.slice(0, 300))}`));
      }
    };
    const timer = setTimeout(() => done(false), limitMs);
    socket.on('data', (chunk) => {
      // 100 Continue is not the answer yet.
      text = (text + chunk).replace(/^HTTP\/1.1 100 [^\r]*\r\n\r\n/, '');
      if (isComplete(text) && !/^connection: *close/im.test(text)) done(false);
    });
    // A server that refuses early may reset the connection while we still send.
    socket.on('error', () => undefined);
    socket.once('close', () => done(true));
    socket.once('connect', () => socket.write(bytes));
  });
}

/** A connection that has sent `bytes` and waits. */
export async function holdOpen(url: string, bytes: string | Uint8Array): Promise<Socket> {
  const socket = open(url);
  socket.on('error', () => undefined);
  await new Promise((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('close', () => reject(new Error('the connection was not accepted')));
  });
  if (bytes.length > 0) socket.write(bytes);
  return socket;
}

function open(url: string): Socket {
  const { hostname, port } = new URL(url);
  return connect(Number(port), hostname);
}

function isComplete(text: string): boolean {
  const at = text.indexOf('\r\n\r\n');
  if (at < 0) return false;
  const length = /^content-length: *(\d+)/im.exec(text.slice(0, at))?.[1];
  return length === undefined || Buffer.byteLength(text.slice(at + 4)) >= Number(length);
}

/** @throws if the body is not a JSON object */
function parse(text: string): Omit<BareReply, 'closed'> {
  const [head = '', body = ''] = text.split('\r\n\r\n', 2);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
  if (!status) throw new Error('no status line');
  return { status, head: head.toLowerCase(), body: body === '' ? {} : JSON.parse(body) };
}
