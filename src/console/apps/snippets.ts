// Texts to paste elsewhere after a key was created. Pure. They contain the secret, so they are shown only once.
import { listZones } from '#contract/operations/zones.ts';
import type { MintedTsigKey } from '#service/keys/tsig.ts';

interface Snippet {
  id: string;
  label: string;
  text: string;
}

/**
 * @param url the base address of the service
 * @param name the name of the key
 */
export function buildSnippets(secret: string, url: string, name: string): Snippet[] {
  return [
    { id: 'curl', label: 'curl', text: `curl -H 'Authorization: Bearer ${secret}' ${url}${listZones.path}` },
    {
      id: 'certbot',
      label: 'certbot: the credentials file /etc/zonestead/acme and the commands that use it',
      text: [
        `install -m 600 /dev/stdin /etc/zonestead/acme <<'END'`,
        `ZONESTEAD_URL=${url}`,
        `ZONESTEAD_API_KEY=${secret}`,
        'END',
        'zonestead acme --credentials /etc/zonestead/acme --print hook > /usr/local/bin/zonestead-acme',
        'chmod 755 /usr/local/bin/zonestead-acme',
        'certbot certonly --manual --preferred-challenges dns \\',
        '  --manual-auth-hook zonestead-acme --manual-cleanup-hook zonestead-acme -d example.org',
      ].join('\n'),
    },
    {
      id: 'secret',
      label: 'Kubernetes: a Secret for credentialsSecretRef of a DNSZone',
      text: [
        'apiVersion: v1',
        'kind: Secret',
        'metadata:',
        `  name: ${secretName(name)}`,
        'stringData:',
        `  apiKey: ${secret}`,
      ].join('\n'),
    },
  ];
}

/** The same for the TSIG key. @param key null: there is none */
export function buildTsigSnippets(key: MintedTsigKey | null): Snippet[] {
  if (key === null) return [];
  return [
    {
      id: 'tsig-file',
      label: 'nsupdate and dig: the key file of the TSIG key, for their option -k',
      text: key.keyFile,
    },
    {
      id: 'tsig-certbot',
      label: 'certbot-dns-rfc2136: the lines of the credentials file about the TSIG key',
      text: [
        `dns_rfc2136_name = ${key.name}`,
        `dns_rfc2136_secret = ${key.secret}`,
        `dns_rfc2136_algorithm = ${key.algorithm.toUpperCase()}`,
      ].join('\n'),
    },
  ];
}

/** A name that Kubernetes accepts (RFC 1123 label), derived from the name of the key. */
function secretName(name: string): string {
  const label = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replace(/^-+|-+$/g, '');
  return label === '' ? 'zonestead-key' : `zonestead-${label}`;
}
