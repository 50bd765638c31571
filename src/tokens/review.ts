// TokenReview: the API server of the cluster says whether a token is valid (authentication.k8s.io/v1). It also refuses
// tokens of pods and service accounts that were deleted, which no signature shows.
import { z } from 'zod';
import { FetchProblem } from './fetch-json.ts';
import { type Rejection, rejectToken } from './issuer.ts';
import { callCluster, type SourcePorts } from './sources.ts';
import type { TokenText } from './text.ts';

const PATH = '/apis/authentication.k8s.io/v1/tokenreviews';

const Answer = z.object({
  status: z.object({
    authenticated: z.boolean().optional(),
    audiences: z.array(z.string()).optional(),
    user: z.object({ username: z.string().optional(), uid: z.string().optional() }).optional(),
  }),
});
const Claims = z.object({
  sub: z.string(),
  'kubernetes.io': z.object({
    namespace: z.string(),
    serviceaccount: z.object({ name: z.string(), uid: z.string() }),
  }),
});

/**
 * Null: the token is valid. The API server may have other authenticators than the one for service accounts, which do
 * not prove the claims of the token. So the user that it names must be the service account of the claims.
 * @throws FetchProblem if the API server does not answer
 */
export async function reviewToken(
  text: string,
  { claims }: TokenText,
  audience: string,
  ports: SourcePorts,
  signal: AbortSignal,
): Promise<Rejection | null> {
  const body = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token: text, audiences: [audience] },
  };
  const answer = Answer.safeParse(await callCluster({ method: 'POST', path: PATH, body }, ports, signal));
  if (!answer.success) throw new FetchProblem('the API server of the cluster does not answer as expected');
  const { authenticated, audiences, user } = answer.data.status;
  if (authenticated !== true || !audiences?.includes(audience))
    return rejectToken('refused', 'The API server of the cluster does not accept the token.');
  const ownClaims = Claims.safeParse(claims);
  const account = ownClaims.data?.['kubernetes.io'];
  const name = `system:serviceaccount:${account?.namespace}:${account?.serviceaccount.name}`;
  if (ownClaims.data?.sub !== name || user?.username !== name || user.uid !== account?.serviceaccount.uid)
    return rejectToken('refused', 'The token is not of a service account of the cluster.');
  return null;
}
