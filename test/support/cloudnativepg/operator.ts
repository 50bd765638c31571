// The real operator of CloudNativePG at a control plane without nodes: it admits objects with its webhooks, and
// reconciles them as far as it can without a kubelet.
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { ensureAuthority, ensureCertificate } from '../../../deploy/local/parts/certificates.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { type Part, startReady } from '../../../deploy/local/parts/process.ts';

export interface CloudNativePgOptions {
  /** From ensureCloudNativePg. */
  dir: string;
  /** Must exist. */
  stateDir: string;
  /** An administrator's, of a cluster that has the CustomResourceDefinitions. */
  kubeconfig: string;
  signal: AbortSignal;
}

export interface CloudNativePg {
  part: Part;
  /** The configurations of its webhooks as one List, with the address of this process. */
  webhooks: string;
}

/** A namespace in which the operator looks for its plugins. */
export const OPERATOR_NAMESPACE = 'cnpg-system';
const READY_MS = 120_000;

/** Starts the operator, and waits until its webhooks answer. @throws with the end of its log */
export async function startCloudNativePg(options: CloudNativePgOptions): Promise<CloudNativePg> {
  const { dir, stateDir, kubeconfig, signal } = options;
  const home = join(stateDir, 'cloudnativepg');
  // It reads the programs for instances of each architecture from this folder.
  await mkdir(join(home, 'operator'), { recursive: true });
  await symlink(join(dir, 'manager'), join(home, 'operator', 'manager_amd64'));
  const authority = await ensureAuthority({ dir: home, name: 'ca', commonName: 'cloudnativepg' });
  const hosts = ['127.0.0.1'];
  await ensureCertificate({ dir: home, name: 'apiserver', authority, commonName: 'webhooks', hosts });
  const { cloudNativePg: port } = await allocatePorts([{ name: 'cloudNativePg' }], { stateDir: home });
  const part = await startReady(
    {
      name: 'cloudnativepg',
      command: join(dir, 'manager'),
      args: ['controller', `--webhook-port=${port}`, '--metrics-bind-address=0', '--max-concurrent-reconciles=2'],
      env: {
        PATH: process.env.PATH,
        KUBECONFIG: kubeconfig,
        OPERATOR_NAMESPACE,
        OPERATOR_IMAGE_NAME: 'registry.example/cloudnative-pg:1',
        // With a folder of its own it takes these certificates, and leaves the configurations of the webhooks alone.
        WEBHOOK_CERT_DIR: home,
        PLUGIN_SOCKET_DIR: join(home, 'plugins'),
      },
      cwd: home,
      logFile: join(home, 'operator.log'),
    },
    (limit) => answers(`https://127.0.0.1:${port}/readyz`, authority.certificate, limit),
    { what: 'the operator of CloudNativePG to answer /readyz', timeoutMs: READY_MS, intervalMs: 100, signal },
  );
  const text = await readFile(join(dir, 'webhooks.yaml'), 'utf8');
  return { part, webhooks: pointTo(text, `https://127.0.0.1:${port}`, authority.certificate) };
}

interface Webhooks {
  webhooks: { clientConfig: { service?: { path: string }; url?: string; caBundle?: string } }[];
}

/** No Service leads to a process outside of the cluster. */
function pointTo(text: string, address: string, authority: string): string {
  const items = parseAllDocuments(text).map((document) => document.toJS() as Webhooks);
  for (const { webhooks } of items)
    for (const { clientConfig } of webhooks) {
      clientConfig.url = `${address}${clientConfig.service?.path}`;
      clientConfig.caBundle = Buffer.from(authority).toString('base64');
      delete clientConfig.service;
    }
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}

function answers(url: string, ca: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const call = request(url, { ca, signal, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    call.once('error', reject);
    call.end();
  });
}
