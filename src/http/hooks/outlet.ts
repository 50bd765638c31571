// The connection of a reader of the feed: an answer that is written as long as the reader stays.
import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { FEW_WAITING, type Outlet } from '#service/nodes/outlet.ts';

/** Sends the headers of the answer, which belongs to the outlet from then on. */
export function openOutlet(reply: FastifyReply, type: string): Outlet {
  const { raw } = reply.header('content-type', type).header('cache-control', 'no-store');
  const headers = reply.getHeaders();
  reply.hijack();
  const closeAbort = new AbortController();
  if (raw.destroyed || raw.closed) closeAbort.abort();
  else {
    raw.once('close', () => closeAbort.abort());
    raw.on('error', () => undefined);
    // A proxy in between must pass on each line as it comes.
    raw.writeHead(200, { ...headers, 'x-accel-buffering': 'no' } as Record<string, string>);
    raw.flushHeaders();
    // The lines of one moment are one piece, which must not wait for the next one.
    raw.socket?.setNoDelay(true);
  }
  return {
    write: (text) => void raw.write(text),
    waiting: () => raw.writableLength,
    drained: (ms) => drained(raw, ms, closeAbort.signal),
    end: (isReading) => {
      if (isReading) raw.end();
      else raw.destroy();
    },
    closed: closeAbort.signal,
  };
}

/** Octets that leave while others wait cause no event, so the length is read now and then. */
const LOOK_MS = 100;

function drained(raw: ServerResponse, ms: number, closeSignal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearInterval(interval);
      clearTimeout(timer);
      raw.removeListener('drain', end);
      closeSignal.removeEventListener('abort', end);
      resolve();
    };
    const interval = setInterval(() => {
      if (raw.writableLength <= FEW_WAITING) end();
    }, LOOK_MS);
    const timer = setTimeout(end, ms);
    raw.once('drain', end);
    closeSignal.addEventListener('abort', end, { once: true });
    if (raw.writableLength <= FEW_WAITING || closeSignal.aborted) end();
  });
}
