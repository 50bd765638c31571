// Pins of an address: a person says for some time that it works, or does not.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pinBody } from '#contract/checks.ts';
import { readCaller, requireActor } from '#http/hooks/auth.ts';
import { readCheck } from '#service/checks/checks.ts';
import { setPin } from '#service/checks/pins.ts';
import { refusal } from '#service/refusal.ts';
import type { ConsoleParts } from '../parts.ts';
import { secondsIn } from '../records/record-input.ts';
import { attemptForm, type FormErrors, judge, readTyped, type Typed, textField } from '../shell/forms.ts';
import { done, showPage } from '../shell/views.ts';
import { addressOfCheck, type OfCheck } from './address.ts';

interface OfTarget {
  Params: OfCheck['Params'] & { address: string };
}

export function pinPages(app: FastifyInstance, { context }: ConsoleParts): void {
  const target = '/checks/:owner/:name/targets/:address';
  const page = async (
    request: FastifyRequest<OfTarget>,
    reply: FastifyReply,
    again: { typed?: Typed; errors?: FormErrors } = {},
  ) => {
    const { owner, name, address } = request.params;
    const check = await readCheck(context, requireActor(request), name, owner);
    const stored = check.targets.find((each) => each.address === address);
    if (stored === undefined) throw refusal('no-target', { name, address });
    const home = addressOfCheck(owner, name);
    return showPage(request, reply, 'checks/pin', { title: `Pin ${address}`, check, target: stored, home, ...again });
  };
  app.get<OfTarget>(`${target}/pin`, async (request, reply) => page(request, reply));
  app.post<OfTarget>(`${target}/pin`, { config: { counts: 'records' } }, async (request, reply) => {
    const typed = readTyped(request);
    const { owner, name, address } = request.params;
    return attemptForm(
      reply,
      ['state', 'reason', 'seconds'],
      async () => {
        const [state, reason] = [textField(typed, 'state'), textField(typed, 'reason')];
        const pin = judge(pinBody, { state, reason, seconds: secondsIn(textField(typed, 'seconds')) });
        await setPin(context, readCaller(request), { name, address, owner }, pin);
        const effect = pin.state === 'Healthy' ? 'stays in the answers' : 'leaves the answers where others work';
        return done(request, reply, addressOfCheck(owner, name), `${address} is pinned: it ${effect}.`);
      },
      (errors) => page(request, reply, { typed, errors }),
    );
  });
  app.post<OfTarget>(`${target}/unpin`, { config: { counts: 'records' } }, async (request, reply) => {
    const { owner, name, address } = request.params;
    const { limitRefusal } = request;
    if (limitRefusal) throw limitRefusal;
    await setPin(context, readCaller(request), { name, address, owner }, null);
    return done(request, reply, addressOfCheck(owner, name), `The pin of ${address} ended: the probes count again.`);
  });
}
