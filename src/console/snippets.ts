// What is pasted somewhere after a key was minted. Pure texts; the secret is in them, so they are shown once.

export interface Snippet {
  id: string;
  label: string;
  text: string;
}

/** @param url base address of the service @param name of the key, for people */
export function snippetsOf(secret: string, url: string, name: string): Snippet[] {
  return [
    { id: 'curl', label: 'curl', text: `curl -H 'Authorization: Bearer ${secret}' ${url}/v1/dns/zones` },
    {
      id: 'certbot',
      label: 'certbot: the credentials file /etc/zonestead/acme, and how it is used',
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

/** A name that Kubernetes takes (RFC 1123 label), near to what the key is called. */
function secretName(name: string): string {
  const label = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replace(/^-+|-+$/g, '');
  return label === '' ? 'zonestead-key' : `zonestead-${label}`;
}
