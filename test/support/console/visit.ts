// A browser without a screen or JavaScript. It keeps cookies and reads forms, so that tests can send requests like
// those of a real browser, and others.

export interface Page {
  status: number;
  headers: Headers;
  text: string;
  /** The path to which the answer redirects, below the service's address. Null if it does not redirect. */
  location: string | null;
  /** The CSRF token of the forms of the page. Empty if there is none. */
  csrf: string;
  /** The random text of each form of the page, in their order. The first form is `Sign out`. */
  once: string[];
}

export interface Visit {
  /** The cookies as the browser would send them. */
  cookie: string;
  get(path: string): Promise<Page>;
  /** Opens the page to which the answer redirects. @throws if it does not redirect */
  follow(page: Page): Promise<Page>;
  /** Sends the token of the last page, unless `fields` has one. */
  post(path: string, fields?: Record<string, string | string[]>, headers?: Record<string, string>): Promise<Page>;
  /** Signs in with a personal key. @throws if the sign-in is refused */
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
      once: [...text.matchAll(/name="_once" value="([^"]*)"/g)].map(([, once = '']) => once),
    };
  };
  const self: Visit = {
    get cookie() {
      return cookies();
    },
    get: (path) => send(path, {}),
    follow: ({ location, status, text }) => {
      if (location === null) throw new Error(`no redirect: ${status} ${text}`);
      return send(location, {});
    },
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
