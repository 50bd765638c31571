// A reader of the feed over real HTTP: it collects the lines of a stream, and can read slowly, stop, and cut its
// connection.
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { expect } from 'vitest';
import { type FeedLine, feedLine, type ZoneLine, zoneLine } from '#contract/feed.ts';

const LIMIT_MS = 60_000;

export interface FeedReader {
  status: number;
  lines: FeedLine[];
  /** The answer to a refused request. */
  body: { error?: string; message?: string };
  /** How the stream ended: in order, or with its last chunk missing. */
  ended: 'in order' | 'cut' | null;
  /** The lines of the last octets that arrived together. */
  lastGroup: FeedLine[];
  /** The cursor of the last line. */
  readonly cursor: string;
  /** Waits for a line. @throws after a minute */
  until(found: (line: FeedLine) => boolean): Promise<FeedLine>;
  untilEnd(): Promise<'in order' | 'cut'>;
  pause(): void;
  resume(): void;
  cut(): void;
}

interface ReaderOptions {
  after?: string | undefined;
  node?: string;
  /** Cuts the connection as soon as this is true. */
  cutAt?: (line: FeedLine) => boolean;
}

/** Resolves when the headers have arrived. */
export async function openFeed(url: string, key: string, options: ReaderOptions = {}): Promise<FeedReader> {
  const { after, node, cutAt = () => false } = options;
  const query = new URLSearchParams({
    ...(after === undefined ? {} : { after }),
    ...(node === undefined ? {} : { node }),
  });
  const { sent, answer } = await get(`${url}/v1/feed?${query}`, key);
  const reader: FeedReader = {
    status: answer.statusCode ?? 0,
    lines: [],
    lastGroup: [],
    body: {},
    ended: null,
    get cursor() {
      return reader.lines.flatMap((line) => ('cursor' in line ? line.cursor : [])).at(-1) ?? '';
    },
    until: async (found) => {
      await expect.poll(() => reader.lines.some(found), { timeout: LIMIT_MS, interval: 5 }).toBe(true);
      return reader.lines.find(found) as FeedLine;
    },
    untilEnd: async () => {
      await expect.poll(() => reader.ended, { timeout: LIMIT_MS, interval: 10 }).not.toBe(null);
      return reader.ended as 'in order' | 'cut';
    },
    pause: () => void answer.pause(),
    resume: () => void answer.resume(),
    cut: () => void sent.destroy(),
  };
  let rest = '';
  answer.setEncoding('utf8').on('data', (text: string) => {
    if (reader.status !== 200) {
      reader.body = JSON.parse(text);
      return;
    }
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    reader.lastGroup = [];
    for (const line of lines) {
      const parsed = feedLine.parse(JSON.parse(line));
      reader.lines.push(parsed);
      reader.lastGroup.push(parsed);
      if (cutAt(parsed)) {
        sent.destroy();
        return;
      }
    }
  });
  answer.on('error', () => undefined);
  answer.once('close', () => {
    reader.ended = answer.complete ? 'in order' : 'cut';
  });
  return reader;
}

/** Reads one zone. @param cutAt cuts the connection at this line */
export async function readZone(
  url: string,
  key: string,
  zoneId: string,
): Promise<{ status: number; lines: ZoneLine[] }> {
  const { answer } = await get(`${url}/v1/feed/zones/${zoneId}`, key);
  const text = await readText(answer);
  if (answer.statusCode !== 200) return { status: answer.statusCode ?? 0, lines: [] };
  const lines = text.trimEnd().split('\n');
  return { status: 200, lines: lines.map((line) => zoneLine.parse(JSON.parse(line))) };
}

async function readText(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) text += chunk;
  return text;
}

function get(url: string, key: string): Promise<{ sent: ClientRequest; answer: IncomingMessage }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers: { authorization: `Bearer ${key}` }, agent: false });
    sent.on('error', reject);
    sent.once('response', (answer) => resolve({ sent, answer }));
    sent.end();
  });
}
