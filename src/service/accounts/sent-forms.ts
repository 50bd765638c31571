// A form of the console takes effect once. Each form holds a random text. The first request with this text and these
// fields runs; a repetition of it (a double click, a reload, the back button) gets the outcome of the first one.
//
// The outcome may contain the secret of a new key, so it is sealed with a key that is derived from the text in the
// form. The database has a digest of that text only, and therefore cannot open its own row.
import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto';
import { deleteSentForm, insertSentForm, sentForm, updateSentForm } from '#store/sent-forms.ts';
import type { ServiceContext } from '../context.ts';
import type { Actor } from './actor.ts';

const CIPHER = 'aes-256-gcm';
const NONCE = 12;
const TAG = 16;

/** The place of a form's outcome. */
export interface SentForm {
  /** The id of the key of the session. */
  keyId: string;
  /** A digest of the form and its fields. */
  token: string;
  /** The random text of the form, which seals the outcome. */
  text: string;
}

type Begun<T> = { state: 'new'; form: SentForm } | { state: 'running' } | { state: 'done'; outcome: T };

/**
 * Registers a form that was sent. A form with the same text and other fields is another one.
 * @param formInput.text the random text of the form
 * @param formInput.fields its address and all its fields
 */
export async function beginForm<T>(
  context: Pick<ServiceContext, 'db' | 'now'>,
  actor: Pick<Actor, 'keyId'>,
  formInput: { text: string; fields: string },
): Promise<Begun<T>> {
  const { keyId } = actor;
  const digest = createHash('sha256').update(`${formInput.text}\n${formInput.fields}`).digest();
  const form = { keyId, token: `form:${digest.toString('base64url')}`, text: formInput.text };
  if (await insertSentForm(context.db, { keyId, token: form.token, digest, now: context.now() })) {
    return { state: 'new', form };
  }
  const keptForm = await sentForm(context.db, keyId, form.token);
  // The first request was refused in between: its form is shown again, with another text.
  if (keptForm === null || keptForm.state === 'running') return { state: 'running' };
  return { state: 'done', outcome: JSON.parse(open(keptForm.sealed, form.text)) as T };
}

/** Keeps the outcome of a form, in place of an earlier one. */
export async function endForm(
  context: Pick<ServiceContext, 'db' | 'random'>,
  form: SentForm,
  outcome: unknown,
): Promise<void> {
  await updateSentForm(
    context.db,
    form.keyId,
    form.token,
    seal(JSON.stringify(outcome), form.text, context.random(NONCE)),
  );
}

/** Forgets a form that changed nothing, so that it may be sent again. */
export async function forgetForm(context: Pick<ServiceContext, 'db'>, form: SentForm): Promise<void> {
  await deleteSentForm(context.db, form.keyId, form.token);
}

function seal(plain: string, text: string, nonce: Buffer): string {
  const cipher = createCipheriv(CIPHER, deriveKey(text), nonce);
  const sealedOctets = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealedOctets]).toString('base64');
}

function open(sealedText: string, text: string): string {
  const octets = Buffer.from(sealedText, 'base64');
  const decipher = createDecipheriv(CIPHER, deriveKey(text), octets.subarray(0, NONCE));
  decipher.setAuthTag(octets.subarray(NONCE, NONCE + TAG));
  return Buffer.concat([decipher.update(octets.subarray(NONCE + TAG)), decipher.final()]).toString('utf8');
}

function deriveKey(text: string): Buffer {
  return Buffer.from(hkdfSync('sha256', text, '', 'zonestead: outcome of a form', 32));
}
