// docs/reference/record-types.md: the types with the forms of their contents, and the rules that the types have of
// their own.
import { describeType } from '#dns/types/fields.ts';
import { REFUSED_TYPES } from '#dns/types/generic-type.ts';
import { OWN_TYPES } from '#dns/types/numbers.ts';
import { OLD_TYPES } from '#dns/types/old-types.ts';
import { RECORD_TYPES } from '#dns/types/record-type.ts';
import { code, page, paragraph, table } from './markdown.ts';

export function recordTypesPage(): string {
  return page(
    'Record types',
    paragraph(
      'This page lists the record types that Zonestead supports, with an example of the content of each. A DNSRecord has the content in `content` or `values`, REST in `content`.',
    ),
    table(
      ['type', 'content', 'example'],
      [...RECORD_TYPES, 'TYPEn' as const].map((type) => {
        const { form, example } = describeType(type);
        return [code(type), form, code(example)];
      }),
    ),
    '## Names',
    [
      '- Names are relative to the zone; `@` is the apex. A `*` as the first label is a wildcard.',
      '- Names with characters outside of ASCII are converted as UTS #46 says.',
      '- A CNAME cannot share its name with another record. An ALIAS cannot share its name with A, AAAA or CNAME records.',
      '- While the target of an ALIAS has no addresses, its name is answered without data (NOERROR), and no wildcard answers for it. The\n  name servers then hold a record of the private type 65401 at the name. The DNSRecord is not Ready.',
      '- A DNAME redirects all names below its own name (RFC 6672), so no record and no zone of Zonestead may be below it. It may be\n  at the apex of a zone without other names, and not at a wildcard, nor with a CNAME or the NS records of a delegation.',
      '- SRV, TLSA and URI records of a service are at `_service._proto` or `_port._proto`; Zonestead requires this form for SRV and TLSA.',
      '- OPENPGPKEY and SMIMEA records of a mail address are at `<hash>._openpgpkey` and `<hash>._smimecert`. The hash is the first 56\n  hexadecimal digits of the SHA-256 digest of the part before the `@` (RFC 7929, RFC 8162).',
    ].join('\n'),
    '## Forms',
    [
      '- A content has the characters that [comments](comments.md) may have, and tabs. Write every other character as its octets, for',
      '  example `"\\194\\133"` for U+0085.',
      '- Answers have one canonical form of each content, for example addresses in their shortest form. TXT stays as it is.',
      '- The mnemonics in a CERT become numbers. Sizes in a LOC have one digit and zeros on the wire, so 1,234 m becomes 1,000 m.',
      '- In an SVCB or HTTPS record, newer keys such as `dohpath` are answered as `key7`.',
    ].join('\n'),
    '## Types by number',
    paragraph(
      'Another type is written as `TYPE` and its number, for example `TYPE65280`, with the content in the generic form of RFC 3597. Zonestead compares the octets only. An API key that is limited to types must list each number.',
    ),
    paragraph(
      `A number is refused if Zonestead has the type under a name, if the service makes the records of the type itself (${OWN_TYPES.join(', ')}), if it is a type of questions or messages (128 to 255, OPT), or if it is ${listRefused()}.`,
    ),
    paragraph(
      `The octets of the old types ${[...OLD_TYPES.values()].map(({ name }) => name).join(', ')} must have the layout of the type. An import of a zone file also reads the own forms of these types, and converts them.`,
    ),
    '## Not supported',
    paragraph(
      `An import of a zone file with another type is refused, with the number of the line. SOA, NS of the apex, and DNSSEC records (DNSKEY, RRSIG, NSEC, NSEC3, NSEC3PARAM, CDS, CDNSKEY) are made by the service; an import ignores them.`,
    ),
  );
}

/** The types that Knot reads in a form of their own, but for OPT, as "A, B or C". */
function listRefused(): string {
  const names = [...REFUSED_TYPES.values()].filter((name) => name !== 'OPT');
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}
