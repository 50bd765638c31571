// The DNSSEC keys of a zone in requests and answers.
import { z } from 'zod';
import { SIGNING_ALGORITHMS } from '#dns/dnssec/algorithms.ts';
import { KEY_STATES } from '#dns/dnssec/key-states.ts';

/** The most keys of a zone. A roll needs two. */
export const MAX_ZONE_KEYS = 4;

export const keyAlgorithm = z.literal(SIGNING_ALGORITHMS).meta({
  description: 'The DNSSEC algorithm: 8 is RSA with SHA-256, 13 is ECDSA P-256, 14 is ECDSA P-384, 15 is Ed25519.',
});

export const keyState = z.enum(KEY_STATES).meta({
  description:
    '`active`: the key signs everything. `presigning`: it signs, and is not in the DNSKEY RRset yet. `published`: it is in the DNSKEY RRset. `ready`: it is there, and the parent should have its DS records and no others. `withdrawn`: it is there after a cancelled roll, and goes. `retired`: it is in the DNSKEY RRset, and signs nothing. `postsigning`: it signs, and is not in the DNSKEY RRset any more.',
});

/** The keys of a zone as its name servers get them. */
export const servedKeys = z
  .array(
    z.object({
      privateKey: z.string().meta({ description: 'The private key in PEM (PKCS#8).' }),
      algorithm: keyAlgorithm,
      state: keyState,
    }),
  )
  .min(1)
  .max(MAX_ZONE_KEYS)
  .meta({ description: 'The DNSSEC keys of the zone: combined signing keys, with flags 257.' });
