// Debian's nginx as the proxy in front of the api: it ends TLS and names its client as Ingress controllers do.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureTools } from '../../../deploy/local/parts/apt.ts';
import { ensureAuthority, ensureCertificate } from '../../../deploy/local/parts/certificates.ts';
import { startReady } from '../../../deploy/local/parts/process.ts';

export interface Nginx {
  /** The certificate authority of the proxy, as PEM. */
  authority: string;
  stop(): Promise<void>;
}

const LIMIT_MS = 60_000;

/**
 * @param upstream the address that it passes requests to; it connects from 127.0.0.1 @throws Error when it does not
 * start
 */
export async function startNginx({ port, upstream }: { port: number; upstream: string }): Promise<Nginx> {
  const { signal } = new AbortController();
  const { nginx = '' } = await ensureTools([{ command: 'nginx', package: 'nginx' }], { progress: () => {}, signal });
  const dir = await mkdtemp(join(tmpdir(), 'zonestead-nginx-'));
  const authority = await ensureAuthority({ dir, name: 'authority', commonName: 'authority' });
  const hosts = ['localhost'];
  const serving = await ensureCertificate({ dir, name: 'serving', commonName: 'localhost', authority, hosts });
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${dir}/${name};`,
  );
  const config = `
    daemon off; master_process off; pid ${dir}/pid; error_log stderr warn;
    events {}
    http {
      access_log off; ${folders.join(' ')}
      server {
        listen 127.0.0.1:${port} ssl;
        ssl_certificate ${serving.certificateFile}; ssl_certificate_key ${serving.keyFile};
        location / {
          proxy_pass ${upstream};
          proxy_http_version 1.1;
          proxy_set_header Host $http_host;
          proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
          proxy_set_header X-Forwarded-Proto $scheme;
        }
      }
    }`;
  await writeFile(join(dir, 'nginx.conf'), config);
  const part = await startReady(
    {
      name: 'nginx',
      command: nginx,
      args: ['-p', dir, '-e', 'stderr', '-c', join(dir, 'nginx.conf')],
      logFile: join(dir, 'nginx.log'),
    },
    (limit) => answers(port, limit),
    { what: 'nginx to listen', timeoutMs: LIMIT_MS, intervalMs: 50, signal },
  );
  return {
    authority: authority.certificate,
    stop: async () => {
      await part.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

function answers(port: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', signal });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
