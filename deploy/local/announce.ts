// The words of `up` about itself: where everything is, and commands to try. They name keys by their variables only.
import { join, relative } from 'node:path';
import { formatHostPort } from '#base/address.ts';
import type { Service } from './service.ts';
import type { Stack } from './stack.ts';

const envFile = (stateDir: string) => relative(process.cwd(), join(stateDir, 'env'));
const formatServers = ({ nameServers }: Service) =>
  nameServers.map(({ address, port }) => formatHostPort(address, port)).join(', ');

/** As soon as the DNS side answers; `seconds` since the command was typed. @param kubernetes whether it starts too */
export function serviceLines(service: Service, stateDir: string, seconds: number, kubernetes: boolean): string[] {
  const { url, dns } = service;
  return [
    `answers after ${seconds.toFixed(1)} s: API ${url}/v1/dns, DNS ${formatServers(service)}, console ${url}/console/.`,
    `${kubernetes ? 'Kubernetes follows' : 'Kubernetes does not start: there are no kubectl, operator and solver'}. Run this in another shell, after source ${envFile(stateDir)}:`,
    '  zonestead zones create try.example',
    `  dig +noall +answer +dnssec @${dns.address} -p ${dns.port} try.example SOA`,
    `  echo $ZONESTEAD_PERSON_KEY     # the key to sign in at ${url}/console/`,
  ];
}

/** When all runs. Programs wait for the line that begins with "ready". */
export function stackLines({ service, issuance }: Stack, stateDir: string, seconds: number): string[] {
  return [
    `ready after ${seconds.toFixed(1)} s: API ${service.url}/v1/dns, DNS ${formatServers(service)}.`,
    ...(issuance === undefined
      ? []
      : [`ACME directory ${issuance.pebble.url}; try kubectl apply -f deploy/examples/certificate.yaml.`]),
    ...(service.updates === null
      ? []
      : [`DNS updates: ${service.updates}, with a key of zonestead admin keys mint --tsig.`]),
    `Console: ${service.url}/console/, to sign in with ZONESTEAD_PERSON_KEY of the file below.`,
    `In another shell: source ${envFile(stateDir)}; then zonestead, kubectl, curl and dig work. Ctrl-C stops everything.`,
  ];
}

/** When there is no control plane or no operator; `message` is that of the error. */
export function withoutKubernetes(message: string): string[] {
  return [
    `failed to start Kubernetes: ${message}`,
    'The REST API, the name servers and the console stay up without it; Ctrl-C stops them. The next npm run up tries again.',
  ];
}

const DETAIL_MS = 15_000;

/**
 * Prints all lines until `quiet`, and from then on an indented line, which is a detail of a long operation, at most
 * every 15 s: the commands to try must not scroll away.
 */
export function progressPrinter(print: (line: string) => void, now: () => number) {
  let quiet = false;
  let last = Number.NEGATIVE_INFINITY;
  return {
    progress: (line: string) => {
      if (line.startsWith('  ')) {
        if (quiet && now() - last < DETAIL_MS) return;
        last = now();
      }
      print(line);
    },
    quiet: () => {
      quiet = true;
    },
  };
}
