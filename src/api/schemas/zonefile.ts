// The contract of `GET` and `PUT /zones/{id}/zonefile`. It must not know the syntax of zone files; dns/ reads them.
import { z } from 'zod';

/** RFC 4027. */
export const ZONE_FILE_TYPE = 'text/dns';

export const zoneFile = z.string({ error: 'must be a zone file' }).meta({
  description: 'A zone file (RFC 1035 section 5) in UTF-8.',
  examples: ['$ORIGIN example.org.\n$TTL 3600\nwww\tIN\tA\t192.0.2.10\n@\tIN\tMX\t10 mail.example.org.\n'],
});

/** The same as a body: nothing at all is what a client sends whose file is not there, and would take all records away. */
export const zoneFileBody = zoneFile.regex(/\S/, {
  error: 'the zone file is empty, which would delete all records; if that is meant, send one that holds a comment',
});

const count = (description: string) => z.int().min(0).meta({ description });

/** Answer of `PUT /zones/{id}/zonefile`. */
export const zoneFileImport = z
  .object({
    records: count('Records that the zone has now.'),
    created: count('Records that are new.'),
    updated: count('Records that kept their id and got another value or TTL.'),
    deleted: count('Records that the file does not have.'),
    unchanged: count('Records that stayed as they were.'),
    ignored: count('Lines about records that the service makes itself: SOA and NS at the apex, DNSSEC.'),
  })
  .meta({
    id: 'ZoneFileImport',
    description: 'What a zone file changed.',
    examples: [{ records: 12, created: 2, updated: 1, deleted: 0, unchanged: 9, ignored: 3 }],
  });

export type ZoneFileImport = z.infer<typeof zoneFileImport>;
