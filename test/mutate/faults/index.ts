// All faults of `npm run mutate`. A fault that no longer applies fails the run: update the place of its rule.
import type { Fault } from '../fault.ts';
import { ACCOUNT_FAULTS } from './accounts.ts';
import { ACME_FAULTS } from './acme.ts';
import { BRAKE_FAULTS } from './brakes.ts';
import { CHART_FAULTS } from './chart.ts';
import { CLI_FAULTS } from './cli.ts';
import { CLIENT_FAULTS } from './client.ts';
import { CLIENT_ADDRESS_FAULTS } from './client-addresses.ts';
import { CLUSTER_FAULTS } from './clusters.ts';
import { COMMENT_FAULTS } from './comments.ts';
import { CONSOLE_FAULTS } from './console.ts';
import { DATABASE_FAULTS } from './database.ts';
import { DNS_FAULTS } from './dns.ts';
import { DOCS_FAULTS } from './docs.ts';
import { EXTERNAL_DNS_FAULTS } from './external-dns.ts';
import { FAIR_FAULTS } from './fair.ts';
import { FEED_FAULTS } from './feed.ts';
import { KUBE_FAULTS } from './kube.ts';
import { NAMESERVER_FAULTS } from './nameserver.ts';
import { NODE_FAULTS } from './node.ts';
import { OPERATOR_FAULTS } from './operator.ts';
import { OPERATOR_CLUSTER_FAULTS } from './operator-clusters.ts';
import { OWNER_FAULTS } from './owners.ts';
import { POWERDNS_FAULTS } from './powerdns.ts';
import { PROOF_NAME_FAULTS } from './proof-names.ts';
import { RELEASE_FAULTS } from './release.ts';
import { SERVICE_FAULTS } from './service.ts';
import { SOLVER_FAULTS } from './solver.ts';
import { TOKEN_FAULTS } from './tokens.ts';
import { TRUST_FAULTS } from './trusts.ts';
import { UP_FAULTS } from './up.ts';
import { UPDATE_FAULTS } from './update.ts';
import { WIRING_FAULTS } from './wiring.ts';
import { ZONE_FAULTS } from './zones.ts';

export const FAULTS: readonly Fault[] = [
  ...DNS_FAULTS,
  ...OWNER_FAULTS,
  ...ACCOUNT_FAULTS,
  ...ACME_FAULTS,
  ...CLUSTER_FAULTS,
  ...TOKEN_FAULTS,
  ...TRUST_FAULTS,
  ...SERVICE_FAULTS,
  ...DATABASE_FAULTS,
  ...ZONE_FAULTS,
  ...PROOF_NAME_FAULTS,
  ...POWERDNS_FAULTS,
  ...CLIENT_ADDRESS_FAULTS,
  ...COMMENT_FAULTS,
  ...UPDATE_FAULTS,
  ...UP_FAULTS,
  ...WIRING_FAULTS,
  ...CLI_FAULTS,
  ...CLIENT_FAULTS,
  ...EXTERNAL_DNS_FAULTS,
  ...FAIR_FAULTS,
  ...FEED_FAULTS,
  ...KUBE_FAULTS,
  ...OPERATOR_FAULTS,
  ...OPERATOR_CLUSTER_FAULTS,
  ...BRAKE_FAULTS,
  ...NAMESERVER_FAULTS,
  ...NODE_FAULTS,
  ...SOLVER_FAULTS,
  ...CONSOLE_FAULTS,
  ...CHART_FAULTS,
  ...DOCS_FAULTS,
  ...RELEASE_FAULTS,
];
