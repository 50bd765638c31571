// The contract of `GET` and `PUT /zones/{id}/zonefile`.
import { z } from 'zod';

/** RFC 4027. */
export const ZONE_FILE_TYPE = 'text/dns';

export const zoneFile = z.string({ error: 'must be a zone file' }).meta({
  description: 'A zone file (RFC 1035 section 5) in UTF-8.',
  examples: ['$ORIGIN example.org.\n$TTL 3600\nwww\tIN\tA\t192.0.2.10\n@\tIN\tMX\t10 mail.example.org.\n'],
});

/**
 * A zone file as a body. An empty body is refused: a client sends one if its file is missing, and it would delete all
 * records.
 */
export const zoneFileBody = zoneFile.regex(/\S/, {
  error:
    'has an empty zone file, which would delete all records; if that is intended, send a file that contains a comment',
});

const count = (description: string) => z.int().min(0).meta({ description });

/** Answer of `PUT /zones/{id}/zonefile`. */
export const zoneFileImport = z
  .object({
    records: count('The number of records in the zone after the import.'),
    created: count('The number of records that were created.'),
    updated: count('The number of records that kept their id and got a new value or TTL.'),
    deleted: count('The number of records that were deleted because the file does not contain them.'),
    unchanged: count('The number of records that did not change.'),
    ignored: count(
      'The number of ignored lines, for records that the service creates itself (SOA and NS at the apex, NS and DS of child zones hosted here, and DNSSEC), and for records that an earlier line has already.',
    ),
  })
  .meta({
    id: 'ZoneFileImport',
    description: 'The result of an import of a zone file.',
    examples: [{ records: 12, created: 2, updated: 1, deleted: 0, unchanged: 9, ignored: 3 }],
  });

export type ZoneFileImport = z.infer<typeof zoneFileImport>;
