// A service with the console on it, and a browser without a screen or JavaScript: it keeps cookies and reads forms, so that
// what a real one would send, and what no real one would, can be sent.

import type { Console } from '../../src/api/app.ts';
import { readConfig } from '../../src/config.ts';
import type { LookLive } from '../../src/console/parts.ts';
import { createConsole } from '../../src/console/plugin.ts';
import { CONSOLE_SETTINGS } from '../../src/console/settings.ts';
import { createLiveLook } from '../../src/nameserver/live.ts';
import type { Endpoint } from '../../src/nameserver/probe.ts';
import { createResolver } from '../../src/nameserver/resolver.ts';
import { NAMESERVERS, startTestService, type TestService, type TestServiceOptions } from './service.ts';

export interface ConsoleService extends TestService {
  /** One more api with a console on the same database, as another replica or set up otherwise. */
  anotherConsole(settings: Record<string, string>): Promise<{ url: string }>;
}

/** To be called at the top of a test file. `settings`: of the console, as in the environment. */
export async function startConsoleService(
  options: TestServiceOptions = {},
  settings: Record<string, string> = {},
): Promise<ConsoleService> {
  let dns: Endpoint | null = null;
  const live: LookLive = (question, signal) => {
    if (dns === null) throw new Error('asked before the service is there');
    return lookAt(dns)(question, signal);
  };
  const service = await startTestService({ ...options, console: pagesWith(settings, live) });
  dns = service.dns;
  return { ...service, anotherConsole: async (other) => service.anotherApi({ console: pagesWith(other, live) }) };
}

function pagesWith(settings: Record<string, string>, live: LookLive): Console {
  return createConsole(readConfig(CONSOLE_SETTINGS, settings), live);
}

/** Both name servers are the one PowerDNS, which is the resolver too: nobody delegates to it. */
function lookAt({ address, port }: Endpoint): LookLive {
  const none = async () => Promise.reject(new Error('there is no resolver for addresses'));
  return createLiveLook({
    overrides: new Map(NAMESERVERS.map((name) => [name, { address, port }])),
    resolver: { resolve4: none, resolve6: none },
    resolve: createResolver({ servers: [{ address, port }] }),
    elapsed: () => performance.now(),
    now: () => new Date(),
  });
}

export interface Page {
  status: number;
  headers: Headers;
  text: string;
  /** Where it sends one, below the service's address; null for none. */
  location: string | null;
  /** The CSRF token of its forms; empty without one. */
  csrf: string;
}

export interface Visit {
  /** The cookies as the browser would send them. */
  cookie: string;
  get(path: string): Promise<Page>;
  /** With the token of the page that was shown last, unless `fields` has one. */
  post(path: string, fields?: Record<string, string | string[]>, headers?: Record<string, string>): Promise<Page>;
  /** Signs in with the key of a person. @throws when that does not lead into the console */
  signIn(key: string): Promise<void>;
}

export function visit(service: { url: string }, cookie = ''): Visit {
  const jar = new Map<string, string>();
  for (const pair of cookie.split('; ').filter(Boolean))
    jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
  let csrf = '';
  const cookies = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const send = async (path: string, init: RequestInit): Promise<Page> => {
    const answer = await fetch(`${service.url}${path}`, {
      ...init,
      redirect: 'manual',
      headers: { ...(init.headers as Record<string, string>), cookie: cookies() },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    const text = await answer.text();
    const token = /name="_csrf" value="([^"]*)"/.exec(text)?.[1] ?? '';
    if (token !== '') csrf = token;
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      location: answer.headers.get('location'),
      csrf: token,
    };
  };
  const self: Visit = {
    get cookie() {
      return cookies();
    },
    get: (path) => send(path, {}),
    post: (path, fields = {}, headers = {}) => {
      const body = new URLSearchParams();
      for (const [name, value] of Object.entries({ _csrf: csrf, ...fields })) {
        for (const each of [value].flat()) body.append(name, each);
      }
      return send(path, { method: 'POST', body, headers });
    },
    signIn: async (key) => {
      await self.get('/console/sign-in');
      const { status, location, text } = await self.post('/console/sign-in', { key });
      if (status !== 303 || !location?.startsWith('/console/')) throw new Error(`not signed in: ${status} ${text}`);
    },
  };
  return self;
}
