/** The form of the content of each type with an example, for people: the console and the reference show them. */
import type { NamedType } from './record-type.ts';

export interface TypeForm {
  /** A noun phrase. */
  form: string;
  example: string;
}

export const TYPE_FORMS: Readonly<Record<NamedType | 'TYPEn', TypeForm>> = {
  A: { form: 'an IPv4 address', example: '192.0.2.10' },
  AAAA: { form: 'an IPv6 address', example: '2001:db8::10' },
  ALIAS: { form: 'a host name, whose addresses are served at this name', example: 'lb-1234.cloud.example' },
  CAA: { form: 'flags, tag, value', example: '0 issue "letsencrypt.org"' },
  CERT: { form: 'type, key tag, algorithm, certificate in base64', example: 'PKIX 0 0 MIIBIjANBgkqhkiG' },
  CNAME: { form: 'a host name', example: 'www.example.org' },
  DHCID: { form: 'the digest of a DHCP client in base64', example: 'AAIBY2/AuCccgoJbsaxcQc9TUapptP69lOjxfNuVAA2kjEA=' },
  DNAME: { form: 'the name that all names below this one are redirected to', example: 'new.example.org' },
  DS: {
    form: 'key tag, algorithm, digest type, digest',
    example: '14301 13 2 e2d3c916f6deeac73294e8268fb5885044a833fc5459588f4a9184cfc41a5766',
  },
  HTTPS: { form: 'priority, target, parameters', example: '1 . alpn=h2,h3 ipv4hint=192.0.2.10' },
  LOC: {
    form: 'latitude, longitude and altitude; size and precision may follow',
    example: '52 22 23 N 4 53 32 E -2m 1m 10000m 10m',
  },
  MX: { form: 'a host name; the preference is a field of its own, priority (default 10)', example: 'mail.example.org' },
  NAPTR: {
    form: 'order, preference, flags, services, regexp, replacement',
    example: '100 10 "s" "SIP+D2U" "" _sip._udp.example.org',
  },
  NS: { form: 'a host name', example: 'ns1.example.net' },
  OPENPGPKEY: { form: 'an OpenPGP public key in base64', example: 'mQENBFitwwoBCADA' },
  PTR: { form: 'a host name', example: 'www.example.org' },
  SMIMEA: {
    form: 'usage, selector, matching type, data',
    example: '3 1 1 0c72ac70b745ac19998811b131d662c9ac69dbdbe7cb23e5b514b56664c5d3d6',
  },
  SRV: { form: 'priority, weight, port, target', example: '10 5 5060 sip.example.org' },
  SSHFP: {
    form: 'algorithm, fingerprint type, fingerprint, as "ssh-keygen -r" prints them',
    example: '4 2 123456789abcdef67890123456789abcdef67890123456789abcdef123456789',
  },
  SVCB: { form: 'priority, target, parameters', example: '1 dns.example.org alpn=dot port=853' },
  TLSA: {
    form: 'usage, selector, matching type, data',
    example: '3 1 1 0c72ac70b745ac19998811b131d662c9ac69dbdbe7cb23e5b514b56664c5d3d6',
  },
  TXT: { form: 'text as it is, or quoted strings in the form of a zone file', example: 'v=spf1 mx -all' },
  URI: { form: 'priority, weight, URI', example: '10 1 "https://www.example.org/"' },
  TYPEn: { form: 'generic RDATA: the number of octets, and hexadecimal digits', example: '\\# 4 c0000201' },
};
