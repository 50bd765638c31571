// A browser without a screen or JavaScript: it keeps cookies and reads forms, so that what a real one would send, and what
// no real one would, can be sent.

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
