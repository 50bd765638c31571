// The real `api` command as a process of its own, next to a test service: the same database, its own port and settings.
// It is stopped after the tests of the file.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { afterAll, inject } from 'vitest';
import { startCommand } from '../../../deploy/local/parts/command.ts';
import type { Part } from '../../../deploy/local/parts/part.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { createRequest, type Request } from '../http/requests.ts';
import { NAMESERVERS, type TestService } from './service.ts';

/** The options with which Node starts under the chart's memory limit of 512Mi: 45 % of it are heap. */
export const CHART_MEMORY = { NODE_OPTIONS: '--max-semi-space-size=4 --max-old-space-size=230' };

export interface ApiProcess {
  url: string;
  part: Part;
  /** Sends the service's admin key by default. */
  request: Request;
  /** The health server: `/readyz`, `/metrics`. */
  health(path: string): Promise<{ status: number; text: string }>;
  /** The value of one series at /metrics, named without the prefix. @throws if there is none */
  metric(series: string): Promise<number>;
}

/** To be called at the top of a test file. @param environment settings, and variables of Node such as NODE_OPTIONS */
export async function startApiProcess(
  service: TestService,
  environment: Readonly<Record<string, string>> = {},
): Promise<ApiProcess> {
  const stateDir = await mkdtemp(join(tmpdir(), 'zonestead-api-'));
  await chmod(stateDir, 0o755);
  const { api, health } = await allocatePorts([{ name: 'api' }, { name: 'health' }], { stateDir });
  const env = {
    DATABASE_URL: service.database.url,
    ZONESTEAD_LISTEN: `127.0.0.1:${api}`,
    ZONESTEAD_NAMESERVERS: NAMESERVERS.join(','),
    // Tests must not query a resolver of the machine.
    ZONESTEAD_RESOLVER: '127.0.0.1:1',
    // As in service.ts.
    ZONESTEAD_BUSY_AFTER_MS: '30000',
    ...environment,
  };
  const { signal } = new AbortController();
  const part = await startCommand({
    name: 'api',
    env,
    main: inject('program'),
    healthPort: health as number,
    stateDir,
    signal,
  });
  const agent = new Agent();
  afterAll(async () => {
    await part.stop();
    await agent.close();
    await rm(stateDir, { recursive: true, force: true });
  });
  const ask = async (path: string) => {
    // Uses a new connection, because an idle one may be closing.
    const answer = await request(`http://127.0.0.1:${health}${path}`, { reset: true });
    return { status: answer.statusCode, text: await answer.body.text() };
  };
  const url = `http://127.0.0.1:${api}`;
  return {
    url,
    part,
    request: createRequest(url, agent, service.admin.text),
    health: ask,
    metric: async (series) => {
      const line = (await ask('/metrics')).text.split('\n').find((each) => each.startsWith(`zonestead_${series} `));
      if (line === undefined) throw new Error(`no series ${series}`);
      return Number(line.split(' ').at(-1));
    },
  };
}
