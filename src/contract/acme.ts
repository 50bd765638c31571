// The contract of the two APIs for ACME clients: the bodies that lego's httpreq provider and the clients of acme-dns
// send and expect.
import { z } from 'zod';

const VALUE_ERROR = 'must be the value of a DNS-01 challenge: 1 to 255 characters of base64url';
const NAME_ERROR = 'must be a domain name of 1 to 255 characters';

const name = z.string({ error: NAME_ERROR }).min(1, { error: NAME_ERROR }).max(255, { error: NAME_ERROR });
const value = z
  .string({ error: VALUE_ERROR })
  .regex(/^[A-Za-z0-9_-]{1,255}$/, { error: VALUE_ERROR })
  .meta({ description: 'The value of the TXT record.', examples: ['LHDhK3oGRvkiefQnx7OOczTY5Tic_xZ6HcMOc_gmtoM'] });

/**
 * lego sends a name and a value, or with HTTPREQ_MODE=RAW the domain and the key authorization from which both are
 * computed.
 */
export const httpreqBody = z
  .union(
    [
      z.object({
        fqdn: name.meta({ description: 'The name of the TXT record.', examples: ['_acme-challenge.example.org.'] }),
        value,
      }),
      z.object({
        domain: name.meta({ description: 'The domain that the certificate is for.', examples: ['example.org'] }),
        token: z.string().meta({ description: 'The token of the challenge. It is not used.' }),
        keyAuth: z
          .string()
          .min(1)
          .max(1024)
          .meta({ description: 'The key authorization (RFC 8555 section 8.1), from which the value is computed.' }),
      }),
    ],
    { error: 'must hold fqdn and value, or domain, token and keyAuth' },
  )
  .meta({
    id: 'AcmeHttpreq',
    description:
      "A DNS-01 challenge as lego's httpreq provider sends it: name and value, or domain and key authorization.",
  });

export const httpreqAnswer = z
  .object({
    fqdn: z.string().meta({ description: 'The name of the TXT record.' }),
    value: z.string().meta({ description: 'The value of the TXT record.' }),
  })
  .meta({ id: 'AcmeHttpreqDone', description: 'The name and the value that were added or removed.' });

/** Most clients send no body. Some send the networks that the account may be used from. */
export const registerBody = z
  .object({
    allowfrom: z.array(z.string().min(1).max(64)).max(64).optional().meta({
      description: 'Networks in CIDR form that the account may be used from. If omitted, it may be used from anywhere.',
    }),
  })
  .nullish()
  .meta({ id: 'AcmeDnsRegister', description: 'A new account for a client of acme-dns.' });

export const registerAnswer = z
  .object({
    username: z.string().meta({ description: 'The user name: send it as `X-Api-User`. It is the id of the API key.' }),
    password: z.string().meta({ description: 'The password: send it as `X-Api-Key`. It is shown only once.' }),
    fulldomain: z
      .string()
      .meta({ description: 'The name that the CNAME record at `_acme-challenge.<domain>` must point to.' }),
    subdomain: z.string().meta({ description: 'The name of the account: send it as `subdomain` of an update.' }),
    allowfrom: z
      .array(z.string())
      .meta({ description: 'Networks that the account may be used from. An empty list means anywhere.' }),
  })
  .meta({ id: 'AcmeDnsAccount', description: 'A new account: an API key that can set the TXT values of one name.' });

const TXT_ERROR = 'must be the 43 characters of a DNS-01 challenge';

export const updateBody = z
  .object({
    subdomain: name.meta({ description: 'The `subdomain` of the account, as its registration answered it.' }),
    txt: z
      .string({ error: TXT_ERROR })
      .regex(/^[A-Za-z0-9_-]{43}$/, { error: TXT_ERROR })
      .meta({ description: 'The value of the challenge. The two newest values of the account stay.' }),
  })
  .meta({ id: 'AcmeDnsUpdate', description: 'A TXT value for the name of an account.' });

export const updateAnswer = z
  .object({ txt: z.string().meta({ description: 'The value that was set.' }) })
  .meta({ id: 'AcmeDnsUpdated', description: 'The TXT value that was set.' });

export type HttpreqBody = z.infer<typeof httpreqBody>;
