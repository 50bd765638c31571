/** The fields of the content of each type, for forms: labels, kinds and choices. `fields.ts` converts them to content and back. */
import type { NamedType } from './record-type.ts';

export interface ContentField {
  /** Unique within the type. */
  name: string;
  label: string;
  example: string;
  /** A sentence. */
  hint?: string;
  /** Values with their meaning. The list need not be complete: a stored value may be another one. */
  choices?: readonly (readonly [value: string, meaning: string])[];
  /** Whether the value is a number. */
  isNumber?: true;
  /** Whether the content has the value as a quoted string. */
  isQuoted?: true;
  /** Whether the value is all the rest of the content, which may have blanks. Only the last field. */
  isRest?: true;
  /** Whether the value may be long, so that it needs several lines. */
  isLong?: true;
  /** Whether the value may be empty. Only the last field. */
  isOptional?: true;
  /** Letters that end the value, which is several words long. */
  until?: string;
}

const host = (label: string, example: string, hint?: string): ContentField =>
  hint === undefined ? { name: 'target', label, example } : { name: 'target', label, example, hint };
const number = (name: string, label: string, example: string, hint?: string): ContentField =>
  hint === undefined ? { name, label, example, isNumber: true } : { name, label, example, hint, isNumber: true };
const hex = (name: string, label: string, example: string): ContentField => ({
  name,
  label,
  example,
  hint: 'Hexadecimal digits.',
  isRest: true,
  isLong: true,
});
const base64 = (name: string, label: string, example: string): ContentField => ({
  ...hex(name, label, example),
  hint: 'Base64 (RFC 4648).',
});

const ALGORITHMS = [
  ['13', 'ECDSA P-256 with SHA-256'],
  ['8', 'RSA with SHA-256'],
  ['10', 'RSA with SHA-512'],
  ['14', 'ECDSA P-384 with SHA-384'],
  ['15', 'Ed25519'],
  ['16', 'Ed448'],
] as const;

/** RFC 6698 section 2 and RFC 8162: TLSA and SMIMEA have the same fields. */
const ASSOCIATION: readonly ContentField[] = [
  {
    name: 'usage',
    label: 'Usage',
    example: '3',
    choices: [
      ['3', 'DANE-EE: this certificate or key'],
      ['2', 'DANE-TA: this trust anchor'],
      ['1', 'PKIX-EE: this certificate, and a public CA'],
      ['0', 'PKIX-TA: this public CA'],
    ],
  },
  {
    name: 'selector',
    label: 'Selector',
    example: '1',
    choices: [
      ['1', 'the public key'],
      ['0', 'the whole certificate'],
    ],
  },
  {
    name: 'matching',
    label: 'Matching type',
    example: '1',
    choices: [
      ['1', 'SHA-256'],
      ['2', 'SHA-512'],
      ['0', 'the data itself'],
    ],
  },
  hex('data', 'Data', '0c72ac70b745ac19998811b131d662c9ac69dbdbe7cb23e5b514b56664c5d3d6'),
];

/** RFC 9460. */
const service = (target: string, params: string): readonly ContentField[] => [
  number('priority', 'Priority', '1', '0: an alias of the target. Otherwise clients try lower numbers first.'),
  { name: 'target', label: 'Target', example: target, hint: 'A host name. A dot stands for the name of the record.' },
  { name: 'params', label: 'Parameters', example: params, isRest: true, isOptional: true },
];

export const TYPE_FIELDS: Readonly<Record<NamedType | 'TYPEn', readonly ContentField[]>> = {
  A: [{ name: 'address', label: 'IPv4 address', example: '192.0.2.10' }],
  AAAA: [{ name: 'address', label: 'IPv6 address', example: '2001:db8::10' }],
  ALIAS: [host('Target', 'lb-1234.cloud.example', 'The addresses of this host are served at the name.')],
  CAA: [
    {
      name: 'flags',
      label: 'Flags',
      example: '0',
      choices: [
        ['0', '0: a CA may ignore an unknown tag'],
        ['128', '128: critical, an unknown tag forbids issuance'],
      ],
    },
    {
      name: 'tag',
      label: 'Tag',
      example: 'issue',
      choices: [
        ['issue', 'issue: this CA may issue certificates'],
        ['issuewild', 'issuewild: this CA may issue wildcard certificates'],
        ['issuemail', 'issuemail: this CA may issue mail certificates'],
        ['iodef', 'iodef: report violations to this URL'],
      ],
    },
    {
      name: 'value',
      label: 'Value',
      example: 'letsencrypt.org',
      hint: 'The name of the CA, or ";" for none. For iodef a URL.',
      isQuoted: true,
    },
  ],
  CERT: [
    {
      name: 'type',
      label: 'Certificate type',
      example: '1',
      choices: [
        ['1', 'PKIX: X.509'],
        ['2', 'SPKI'],
        ['3', 'PGP'],
        ['253', 'URI'],
        ['254', 'OID'],
      ],
    },
    number('keytag', 'Key tag', '0'),
    number('algorithm', 'Algorithm', '0'),
    base64('certificate', 'Certificate', 'MIIBIjANBgkqhkiG'),
  ],
  CNAME: [host('Target', 'www.example.org')],
  DHCID: [base64('digest', 'Digest', 'AAIBY2/AuCccgoJbsaxcQc9TUapptP69lOjxfNuVAA2kjEA=')],
  DNAME: [host('Target', 'new.example.org', 'All names below this one are redirected to this name.')],
  DS: [
    number('keytag', 'Key tag', '14301'),
    { name: 'algorithm', label: 'Algorithm', example: '13', choices: ALGORITHMS },
    {
      name: 'digesttype',
      label: 'Digest type',
      example: '2',
      choices: [
        ['2', 'SHA-256'],
        ['4', 'SHA-384'],
        ['1', 'SHA-1'],
      ],
    },
    hex('digest', 'Digest', 'e2d3c916f6deeac73294e8268fb5885044a833fc5459588f4a9184cfc41a5766'),
  ],
  HTTPS: service('.', 'alpn=h2,h3 ipv4hint=192.0.2.10'),
  LOC: [
    {
      name: 'latitude',
      label: 'Latitude',
      example: '52 22 23 N',
      hint: 'Degrees, minutes, seconds, N or S.',
      until: 'NS',
    },
    {
      name: 'longitude',
      label: 'Longitude',
      example: '4 53 32 E',
      hint: 'Degrees, minutes, seconds, E or W.',
      until: 'EW',
    },
    { name: 'altitude', label: 'Altitude', example: '-2m' },
    {
      name: 'sizes',
      label: 'Size and precision',
      example: '1m 10000m 10m',
      hint: 'Size, horizontal and vertical precision.',
      isRest: true,
      isOptional: true,
    },
  ],
  MX: [host('Mail server', 'mail.example.org')],
  NAPTR: [
    number('order', 'Order', '100'),
    number('preference', 'Preference', '10'),
    { name: 'flags', label: 'Flags', example: 's', isQuoted: true },
    { name: 'services', label: 'Services', example: 'SIP+D2U', isQuoted: true },
    { name: 'regexp', label: 'Regular expression', example: '', hint: 'Write a backslash as \\\\.', isQuoted: true },
    { name: 'replacement', label: 'Replacement', example: '_sip._udp.example.org', hint: 'A dot stands for none.' },
  ],
  NS: [host('Name server', 'ns1.example.net')],
  OPENPGPKEY: [base64('key', 'Public key', 'mQENBFitwwoBCADA')],
  PTR: [host('Target', 'www.example.org')],
  SMIMEA: ASSOCIATION,
  SRV: [
    number('priority', 'Priority', '10', 'Clients try lower numbers first.'),
    number('weight', 'Weight', '5', 'The share among records of the same priority.'),
    number('port', 'Port', '5060'),
    host('Target', 'sip.example.org', 'A dot says that the service is not offered.'),
  ],
  SSHFP: [
    {
      name: 'algorithm',
      label: 'Algorithm',
      example: '4',
      choices: [
        ['4', 'Ed25519'],
        ['3', 'ECDSA'],
        ['1', 'RSA'],
        ['6', 'Ed448'],
        ['2', 'DSA'],
      ],
    },
    {
      name: 'type',
      label: 'Fingerprint type',
      example: '2',
      choices: [
        ['2', 'SHA-256'],
        ['1', 'SHA-1'],
      ],
    },
    hex('fingerprint', 'Fingerprint', '123456789abcdef67890123456789abcdef67890123456789abcdef123456789'),
  ],
  SVCB: service('dns.example.org', 'alpn=dot port=853'),
  TLSA: ASSOCIATION,
  TXT: [
    {
      name: 'text',
      label: 'Text',
      example: 'v=spf1 mx -all',
      hint: 'The text as it is, or quoted strings in the form of a zone file.',
      isRest: true,
      isLong: true,
    },
  ],
  URI: [
    number('priority', 'Priority', '10', 'Clients try lower numbers first.'),
    number('weight', 'Weight', '1', 'The share among records of the same priority.'),
    { name: 'target', label: 'URI', example: 'https://www.example.org/', isQuoted: true },
  ],
  TYPEn: [
    {
      name: 'rdata',
      label: 'Generic RDATA',
      example: '\\# 4 c0000201',
      hint: 'The number of octets, and hexadecimal digits (RFC 3597).',
      isRest: true,
      isLong: true,
    },
  ],
};
