// Requests that clients send which cannot run here, as the clients write them, with their headers: two Terraform
// providers, and the SDN of Proxmox. Those of acme.sh are in acme-sh.support.ts.
import type { PowerDnsRequest } from '../../../support/doors/powerdns/client.ts';

type Method = Parameters<PowerDnsRequest>[0];

/** A text is sent as it is. */
export type RecordedRequest = readonly [method: Method, path: string, body?: object | string];

export interface Recorded {
  client: string;
  /** Absolute. The first request creates it. */
  zone: string;
  /** The headers of a request in addition to X-API-Key; undefined takes a header away that the test would send. */
  headers(method: Method): Record<string, string | undefined>;
  requests: readonly RecordedRequest[];
  /** The RRsets after these requests, as `formatRrsets` gives them. */
  result: readonly string[];
  /** Sent afterwards. */
  last?: readonly RecordedRequest[];
}

/** The Terraform providers set the content type of every method but GET, also without a body. */
const terraformHeaders: Recorded['headers'] = (method) => ({
  accept: 'application/json',
  'user-agent': 'Go-http-client/1.1',
  'content-type': method === 'GET' ? undefined : 'application/json',
});

const proxmoxHeaders: Recorded['headers'] = () => ({
  accept: undefined,
  'user-agent': 'libwww-perl/6.68',
  'content-type': 'application/json; charset=UTF-8',
});

const terraformRecord = (name: string, type: string, content: string, ttl: number) => ({
  name,
  type,
  content,
  ttl,
  disabled: false,
  'set-ptr': false,
});

export const RECORDED: readonly Recorded[] = [
  {
    client: 'Terraform, pan-net/powerdns 1.5',
    zone: 'pan-net.example.',
    headers: terraformHeaders,
    requests: [
      ['GET', '/api/v1/servers'],
      ['POST', '/zones', { id: '', name: 'pan-net.example.', url: '', kind: 'Native', dnsssec: false, serial: 0 }],
      ['GET', '/zones/pan-net.example.'],
      [
        'PATCH',
        '/zones/pan-net.example.',
        {
          rrsets: [
            {
              name: 'www.pan-net.example.',
              type: 'A',
              changetype: 'REPLACE',
              ttl: 60,
              records: [
                terraformRecord('www.pan-net.example.', 'A', '192.0.2.1', 60),
                terraformRecord('www.pan-net.example.', 'A', '192.0.2.2', 60),
              ],
            },
          ],
        },
      ],
      [
        'PATCH',
        '/zones/pan-net.example.',
        {
          rrsets: [
            {
              name: 'pan-net.example.',
              type: 'MX',
              changetype: 'REPLACE',
              ttl: 300,
              records: [terraformRecord('pan-net.example.', 'MX', '10 mail.pan-net.example.', 300)],
            },
          ],
        },
      ],
      ['GET', '/zones/pan-net.example.'],
      [
        'PUT',
        '/zones/pan-net.example.',
        { id: '', name: 'pan-net.example.', url: '', kind: 'Native', dnsssec: false, serial: 0 },
      ],
      [
        'PATCH',
        '/zones/pan-net.example.',
        { rrsets: [{ name: 'pan-net.example.', type: 'MX', changetype: 'DELETE', ttl: 0 }] },
      ],
      ['GET', '/zones/pan-net.example.'],
    ],
    result: ['www.pan-net.example. A 60 192.0.2.1, 192.0.2.2'],
    last: [['DELETE', '/zones/pan-net.example.']],
  },
  {
    client: 'Terraform, mmianl/powerdns',
    zone: 'mmianl.example.',
    headers: terraformHeaders,
    requests: [
      ['GET', '/api/v1/servers'],
      ['GET', '/api/v1/servers/localhost'],
      [
        'POST',
        '/zones',
        {
          id: '',
          name: 'mmianl.example.',
          url: '',
          kind: 'Native',
          dnssec: false,
          serial: 0,
          account: '',
          soa_edit_api: 'DEFAULT',
        },
      ],
      ['GET', '/zones/mmianl.example.'],
      [
        'PATCH',
        '/zones/mmianl.example.',
        {
          rrsets: [
            {
              name: 'txt.mmianl.example.',
              type: 'TXT',
              changetype: 'REPLACE',
              ttl: 120,
              records: [terraformRecord('txt.mmianl.example.', 'TXT', '"v=spf1 -all"', 120)],
            },
          ],
        },
      ],
      ['GET', '/zones/mmianl.example.?rrsets=true'],
      [
        'PUT',
        '/zones/mmianl.example.',
        { name: 'mmianl.example.', kind: 'Master', soa_edit_api: 'DEFAULT', account: '' },
      ],
      [
        'PUT',
        '/zones/mmianl.example.',
        { name: 'mmianl.example.', kind: 'Native', soa_edit_api: 'DEFAULT', account: '' },
      ],
      ['GET', '/zones/mmianl.example./metadata/ALLOW-DNSUPDATE-FROM'],
    ],
    result: ['txt.mmianl.example. TXT 120 "v=spf1 -all"'],
  },
  {
    client: 'Proxmox SDN',
    zone: 'proxmox.example.',
    headers: proxmoxHeaders,
    requests: [
      ['POST', '/zones', { name: 'proxmox.example.', kind: 'Native', nameservers: [] }],
      ['GET', ''],
      ['GET', '/zones/proxmox.example?rrsets=false'],
      ['GET', '/zones/proxmox.example'],
      [
        'PATCH',
        '/zones/proxmox.example',
        {
          rrsets: [
            {
              name: 'guest.proxmox.example.',
              type: 'A',
              ttl: 14_400,
              changetype: 'REPLACE',
              records: [{ content: '192.0.2.10', disabled: false, name: 'guest.proxmox.example.', type: 'A' }],
            },
          ],
        },
      ],
      [
        'PATCH',
        '/zones/proxmox.example',
        {
          rrsets: [
            {
              name: 'guest.proxmox.example.',
              type: 'A',
              ttl: 14_400,
              changetype: 'REPLACE',
              records: [
                { content: '192.0.2.10', disabled: false },
                { content: '192.0.2.11', disabled: false, name: 'guest.proxmox.example.', type: 'A' },
              ],
            },
            { name: 'gone.proxmox.example.', type: 'AAAA', changetype: 'DELETE', records: [] },
          ],
        },
      ],
      ['GET', '/zones/proxmox.example'],
    ],
    result: ['guest.proxmox.example. A 14400 192.0.2.10, 192.0.2.11'],
  },
];
