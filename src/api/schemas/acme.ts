// The contract of the façades for ACME clients: the bodies that lego's httpreq and acme-dns' clients send and expect. It
// must not know how a challenge is stored.
import { z } from 'zod';

const VALUE_ERROR = 'must be the value of a DNS-01 challenge: 1 to 255 characters of base64url';
const NAME_ERROR = 'must be a domain name of 1 to 255 characters';

const name = z.string({ error: NAME_ERROR }).min(1, { error: NAME_ERROR }).max(255, { error: NAME_ERROR });
const value = z
  .string({ error: VALUE_ERROR })
  .regex(/^[A-Za-z0-9_-]{1,255}$/, { error: VALUE_ERROR })
  .meta({ examples: ['LHDhK3oGRvkiefQnx7OOczTY5Tic_xZ6HcMOc_gmtoM'] });

/** What lego sends: name and value, or (HTTPREQ_MODE=RAW) what both are made of. */
export const httpreqBody = z
  .union(
    [
      z.object({ fqdn: name.meta({ examples: ['_acme-challenge.example.org.'] }), value }),
      z.object({
        domain: name.meta({ examples: ['example.org'] }),
        token: z.string(),
        keyAuth: z.string().min(1).max(1024).meta({ description: 'The key authorization (RFC 8555 8.1).' }),
      }),
    ],
    { error: 'must hold fqdn and value, or domain, token and keyAuth' },
  )
  .meta({ id: 'AcmeHttpreq', description: "A challenge as lego's httpreq provider sends it." });

export const httpreqAnswer = z
  .object({ fqdn: z.string(), value: z.string() })
  .meta({ id: 'AcmeHttpreqDone', description: 'The name and the value that were asked for.' });

/** Clients send nothing, or where the account may be used from. */
export const registerBody = z
  .object({
    allowfrom: z
      .array(z.string().min(1).max(64))
      .max(64)
      .optional()
      .meta({ description: 'Networks in CIDR form that the account may be used from; from anywhere when left out.' }),
  })
  .nullish()
  .meta({ id: 'AcmeDnsRegister', description: 'A new account of the acme-dns protocol.' });

export const registerAnswer = z
  .object({
    username: z.string(),
    password: z.string().meta({ description: 'Shown this once.' }),
    fulldomain: z.string().meta({ description: 'What the CNAME at `_acme-challenge.<domain>` points to.' }),
    subdomain: z.string(),
    allowfrom: z.array(z.string()),
  })
  .meta({ id: 'AcmeDnsAccount', description: 'An account: an API key for the TXT values of one name.' });

const TXT_ERROR = 'must be the 43 characters of a DNS-01 challenge';

export const updateBody = z
  .object({
    subdomain: name,
    txt: z
      .string({ error: TXT_ERROR })
      .regex(/^[A-Za-z0-9_-]{43}$/, { error: TXT_ERROR })
      .meta({ description: 'The value; the two newest stay.' }),
  })
  .meta({ id: 'AcmeDnsUpdate', description: 'A value for the name of an account.' });

export const updateAnswer = z.object({ txt: z.string() }).meta({ id: 'AcmeDnsUpdated', description: 'The value.' });

export type HttpreqBody = z.infer<typeof httpreqBody>;
