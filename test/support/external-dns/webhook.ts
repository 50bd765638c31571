// The webhook provider of external-dns in this process, and requests as external-dns sends them.
import { afterAll } from 'vitest';
import { realClock } from '#base/clock.ts';
import { type Client, createClient } from '#client/client.ts';
import { createDispatcher } from '#client/pace/dispatcher.ts';
import { buildWebhook } from '#external-dns/app.ts';
import { type DnsEndpoint, MEDIA_TYPE } from '#external-dns/protocol.ts';
import { createWebhookProvider } from '#external-dns/provider.ts';
import { createLogger } from '#telemetry/log.ts';
import type { TestService } from '../service/service.ts';

export interface WebhookOptions {
  /** The text of an API key. */
  key: string;
  /** (Default: `prod`.) */
  ownerId?: string;
  share?: boolean;
  adopt?: boolean;
  massDeletion?: boolean;
  /** The limit of a request in ms. (Default: 60,000, so that a busy machine is not taken for a slow API.) */
  limitMs?: number;
  /** Puts faults between the provider and the service. */
  through?: (client: Client) => Client;
}

export interface TestWebhook {
  send(
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; headers: Headers; type: string | null; json: unknown }>;
  /** The status of the answer to changes. */
  change(changes: {
    create?: object[];
    updateOld?: object[];
    updateNew?: object[];
    delete?: object[];
  }): Promise<number>;
  /** The records that the provider shows, in their order. */
  records(): Promise<DnsEndpoint[]>;
  /** Lines of the log. */
  lines: string[];
}

/** It closes itself after the tests of the file. */
export async function startWebhook(service: TestService, options: WebhookOptions): Promise<TestWebhook> {
  const { key, ownerId = 'prod', share = false, adopt = false, massDeletion = false, limitMs = 60_000 } = options;
  const client = createClient({ baseUrl: service.url, key });
  const pace = createDispatcher({ clock: realClock, random: () => 0 });
  const lines: string[] = [];
  const log = createLogger({ name: 'external-dns', destination: { write: (line) => void lines.push(line) } });
  const { through = (each: Client) => each } = options;
  const provider = createWebhookProvider({
    ...{ client: through(client), pace, clock: realClock, log, ownerId, share, adopt, massDeletion },
  });
  const app = buildWebhook({ provider, pace, clock: realClock, log, limitMs });
  afterAll(async () => {
    await app.close();
    await client.close();
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const send: TestWebhook['send'] = async (path, body, headers = {}) => {
    const answer = await fetch(`${url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { accept: MEDIA_TYPE, ...(body === undefined ? {} : { 'content-type': MEDIA_TYPE }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const type = answer.headers.get('content-type');
    const json: unknown = type === MEDIA_TYPE ? JSON.parse(text) : null;
    return { status: answer.status, headers: answer.headers, type, json };
  };
  return {
    send,
    change: async (changes) => (await send('/records', changes)).status,
    records: async () => {
      const listed = (await send('/records')).json as DnsEndpoint[];
      return listed.sort((a, b) => (`${a.dnsName} ${a.recordType}` < `${b.dnsName} ${b.recordType}` ? -1 : 1));
    },
    lines,
  };
}

/** An endpoint as a source of external-dns makes it. */
export const endpoint = (recordType: string, dnsName: string, targets: string[], more: object = {}) => ({
  ...{ dnsName, recordType, targets, labels: { resource: 'service/default/web' } },
  ...more,
});

/** An endpoint of type A. */
export const a = (dnsName: string, ...targets: string[]) => endpoint('A', dnsName, targets);
