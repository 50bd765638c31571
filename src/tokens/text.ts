// Reads the text of a JSON Web Token (RFC 7519) without any proof. Everything here may be made up by the sender, so it
// only says which keys must prove the token. Pure.
import { isUtf8 } from 'node:buffer';
import { type Rejection, rejectToken } from './issuer.ts';

/** Node.js refuses HTTP headers of more than 16 kB anyway. */
const MAX_CHARACTERS = 16_384;
const MAX_PAYLOAD_BYTES = 8_192;
const MAX_DEPTH = 8;
/** Three parts of base64url (RFC 7515 section 7.1). `{}` has three characters. */
const FORM = /^[\w-]{3,}\.[\w-]{3,}\.[\w-]*$/;
const STRING = /"(?:[^"\\]|\\.)*"/g;
const SPIFFE_ID = /^spiffe:\/\/[^/]+/;

type Fields = Readonly<Record<string, unknown>>;

export interface TokenText {
  readonly header: Fields;
  readonly claims: Fields;
  /**
   * The issuer whose keys must prove the token: its `iss`, or the trust domain of its subject if it has none, as
   * JWT-SVIDs may (SPIFFE JWT-SVID section 3). Null: the token names none.
   */
  readonly issuer: string | null;
}

/** Header and claims as the sender wrote them, of at most 16 kB. */
export function readToken(text: string): { readonly ok: true; readonly token: TokenText } | Rejection {
  if (text.length > MAX_CHARACTERS)
    return rejectToken('too-large', `The token has ${text.length} characters. At most ${MAX_CHARACTERS} are accepted.`);
  if (!FORM.test(text)) return rejectToken('malformed', 'The text is not a JSON Web Token in its compact form.');
  const [header = '', payload = ''] = text.split('.');
  // Four characters of base64 are three bytes.
  if (payload.length * 3 > MAX_PAYLOAD_BYTES * 4)
    return rejectToken('too-large', `The claims of the token have more than ${MAX_PAYLOAD_BYTES} bytes.`);
  const parts = { header: readPart(header), claims: readPart(payload) };
  for (const [name, fields] of Object.entries(parts)) {
    if (typeof fields === 'string')
      return rejectToken(
        'malformed',
        `The ${name === 'header' ? 'header of the token is' : 'claims of the token are'} ${fields}.`,
      );
  }
  const token = parts as Pick<TokenText, keyof typeof parts>;
  return { ok: true, token: { ...token, issuer: readIssuer(token.claims) } };
}

function readIssuer({ iss, sub }: Fields): string | null {
  if (typeof iss === 'string' && iss !== '') return iss;
  if (iss !== undefined || typeof sub !== 'string') return null;
  return SPIFFE_ID.exec(sub)?.[0] ?? null;
}

/** The object that a part contains, or a text that says what is wrong with it. */
function readPart(part: string): Fields | string {
  const bytes = Buffer.from(part, 'base64url');
  const text = bytes.toString();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'not JSON';
  }
  if (!isUtf8(bytes)) return 'not in UTF-8';
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'not an object';
  const members = countMembers(value, 1);
  if (members === null) return `nested in more than ${MAX_DEPTH} levels`;
  // Programs differ in which one of two members with the same name they use. A colon outside of a string follows a
  // member's name.
  if (text.replace(STRING, '').split(':').length - 1 !== members) return 'ambiguous, because a name occurs twice';
  return value as Fields;
}

/** The members of all objects in a value; null: it is nested too deeply. */
function countMembers(value: unknown, depth: number): number | null {
  if (typeof value !== 'object' || value === null) return 0;
  if (depth > MAX_DEPTH) return null;
  let count = Array.isArray(value) ? 0 : Object.keys(value).length;
  for (const each of Object.values(value)) {
    const inside = countMembers(each, depth + 1);
    if (inside === null) return null;
    count += inside;
  }
  return count;
}
