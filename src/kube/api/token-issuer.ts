// The issuer of the service account tokens of a cluster. Every service account may read it, by the role
// system:service-account-issuer-discovery.
import { z } from 'zod';
import type { KubeCluster } from './cluster.ts';

const PATH = '/.well-known/openid-configuration';
const document = z.object({ issuer: z.string().min(1) });

/** The `iss` of the tokens that the API server issues now. @throws KubeError; Error if the answer has no issuer */
export async function tokenIssuer({ request }: Pick<KubeCluster, 'request'>, signal?: AbortSignal): Promise<string> {
  const answer = document.safeParse(await request({ method: 'GET', path: PATH }, signal));
  if (answer.success) return answer.data.issuer;
  throw new Error(`the API server names no issuer of service account tokens at ${PATH}`);
}
