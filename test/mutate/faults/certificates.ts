// Faults in certificates that are made, renewed and read while processes run.
import { fault, noticedBy } from './fault.ts';

const own = 'test/unit/kube/own-certificate.test.ts';
const clients = 'test/integration/client/certificates.test.ts';
const issued = noticedBy('issued', 'test/integration/chart/issued-certificates.test.ts');
const ISSUED = 'charts/zonestead/templates/issued-certificates.yaml';

export const CERTIFICATE_FAULTS = [
  fault(
    'certificates-clock',
    'a Job whose clock is off replaces a valid certificate',
    ['src/kube/certificates/own-secret.ts', '      checkClock(clockDifference?.() ?? 0);\n', ''],
    'unit',
    own,
  ),
  fault(
    'certificates-skew',
    'clients whose clock is some minutes behind refuse a new certificate',
    [
      'src/kube/certificates/own-certificate.ts',
      'notBefore: new Date(now.getTime() - CLOCK_SKEW_MS)',
      'notBefore: new Date(now.getTime())',
    ],
    'unit',
    own,
  ),
  fault(
    'certificates-replicas',
    'a replica whose clock is behind replaces the certificate of another one',
    [
      'src/kube/certificates/own-certificate.ts',
      'now.getTime() + CLOCK_SKEW_MS;\n    return isBegun',
      'now.getTime();\n    return isBegun',
    ],
    'unit',
    own,
  ),
  fault(
    'certificates-unannounced',
    'a new authority is not among the trusted ones before it signs',
    [
      'src/kube/certificates/own-certificate.ts',
      'bundle([first, next, ...stillGood([second, ...rest], now)])',
      'bundle([first, ...stillGood([second, ...rest], now)])',
    ],
    'unit',
    own,
  ),
  fault(
    'certificates-read-once',
    'a client does not read the file of its authorities again',
    [
      'src/client/authorities.ts',
      'if (this.#agent !== undefined && ca === this.#authorities)',
      'if (this.#agent !== undefined)',
    ],
    'integration',
    clients,
  ),
  fault(
    'certificates-sentence',
    'the message for a certificate that is not valid yet is that of OpenSSL',
    ['src/base/tls-fault.ts', "code === 'CERT_NOT_YET_VALID'", "code === 'CERT_NOT_YET'"],
    'unit',
    'test/unit/base/tls-fault.test.ts',
  ),
  fault(
    'certificates-both-issuers',
    'the CronJob writes the Secrets that cert-manager writes',
    [
      'charts/zonestead/templates/_certificate.tpl',
      '{{- if eq .Values.certificates.mode "self" }}{{ include "zonestead.certificates" . }}{{ else }}{}{{ end -}}',
      '{{- include "zonestead.certificates" . -}}',
    ],
    'integration',
    'test/integration/chart/encrypted.test.ts',
  ),
  issued(
    'usages',
    'the certificates that cert-manager issues are not for servers',
    ISSUED,
    'usages: [digital signature, server auth]',
    'usages: [digital signature, client auth]',
  ),
  issued(
    'addresses',
    'a certificate of the api that cert-manager issues lacks the addresses of api.tls.hosts',
    ISSUED,
    '{{- with $addresses }}',
    '{{- with list }}',
  ),
  issued(
    'solver',
    'the certificate of the solver that cert-manager issues lacks the name that kube-apiserver verifies',
    'charts/zonestead/templates/solver-certificate.yaml',
    '    - {{ $name }}.{{ include "zonestead.namespace" . }}.svc\n',
    '',
  ),
] as const;
