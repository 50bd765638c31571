// The refusal of one part of a request, as a part of the answer. Other refusals are answered by src/http/refusals.ts.
import type { ErrorBody } from '#contract/error.ts';
import { toErrorBody, toHttpStatus } from '#http/refusals.ts';
import { Refusal, type RefusalData } from '#service/refusal.ts';

/** The status and the body that the part would have received as a single request. */
export function refusedPart(data: RefusalData): { status: number } & ErrorBody {
  const refused = new Refusal(data);
  return { status: toHttpStatus(refused), ...toErrorBody(refused) };
}
