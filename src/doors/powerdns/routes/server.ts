// The parts of the PowerDNS API that describe the server. Clients read them when they start.
import type { FastifyInstance } from 'fastify';
import { refusal } from '#service/refusal.ts';
import { SERVER_PATH } from '../answer-views.ts';
import { sendJson } from '../answers.ts';
import { type Fields, refused } from '../read-fields.ts';

/** The version of PowerDNS whose API this is: the first one with EXTEND and PRUNE. octoDNS reads three numbers. */
const VERSION = '4.9.12';

const SERVER = {
  config_url: `${SERVER_PATH}/config{/config_setting}`,
  daemon_type: 'authoritative',
  id: 'localhost',
  type: 'Server',
  url: SERVER_PATH,
  version: VERSION,
  zones_url: `${SERVER_PATH}/zones{/zone}`,
};

/** The settings that clients ask for. */
const CONFIG = [
  { name: 'api', type: 'ConfigSetting', value: 'yes' },
  { name: 'default-soa-edit-signed', type: 'ConfigSetting', value: '' },
  { name: 'enable-lua-records', type: 'ConfigSetting', value: 'no' },
  { name: 'expand-alias', type: 'ConfigSetting', value: 'yes' },
  { name: 'launch', type: 'ConfigSetting', value: 'zonestead' },
];

/** Registered below /api. */
export function apiRoutes(app: FastifyInstance): void {
  app.get('', async (_, reply) => sendJson(reply, [{ url: '/api/v1', version: 1 }]));
  app.get('/v1', async (_, reply) => sendJson(reply, [{ api_features: [], server_url: '/api/v1/servers{/server}' }]));
  app.get('/v1/servers', async (_, reply) => sendJson(reply, [SERVER]));
}

/** Registered below the address of the server. */
export function serverRoutes(app: FastifyInstance): void {
  app.get('', async (_, reply) => sendJson(reply, SERVER));
  app.get('/config', async (_, reply) => sendJson(reply, CONFIG));
  app.get<{ Params: { setting: string } }>('/config/:setting', async (request, reply) => {
    const setting = CONFIG.find(({ name }) => name === request.params.setting);
    if (setting === undefined) throw refusal('no-such-path', { method: 'GET', path: request.url.slice(0, 200) });
    return sendJson(reply, setting);
  });
  // Nothing is cached between the service and its name servers.
  app.put<{ Querystring: Fields }>('/cache/flush', async ({ query: { domain } }, reply) => {
    if (typeof domain === 'string' && domain.endsWith('.')) {
      return sendJson(reply, { count: 0, result: 'Flushed cache.' });
    }
    throw refused('The query parameter "domain" must be an absolute name: write the whole name with a final dot.');
  });
}
