// All faults of `npm run mutate`. A fault that no longer applies fails the run: update the place of its rule.
import type { Fault } from '../fault.ts';
import { ACCOUNT_FAULTS } from './accounts.ts';
import { ACME_FAULTS } from './acme.ts';
import { ADDRESS_FAULTS } from './addresses.ts';
import { BRAKE_FAULTS } from './brakes.ts';
import { CANARY_FAULTS } from './canary.ts';
import { CERTIFICATE_FAULTS } from './certificates.ts';
import { CHART_FAULTS } from './chart.ts';
import { CHECK_PAGE_FAULTS } from './check-pages.ts';
import { CHECK_SIGNAL_FAULTS } from './check-signals.ts';
import { CHECK_FAULTS } from './checks.ts';
import { CLI_FAULTS } from './cli.ts';
import { CLIENT_FAULTS } from './client.ts';
import { CLIENT_ADDRESS_FAULTS } from './client-addresses.ts';
import { CLOUDNATIVEPG_FAULTS } from './cloudnativepg.ts';
import { CLUSTER_FAULTS } from './clusters.ts';
import { COMMAND_LINE_FAULTS } from './command-line.ts';
import { COMMENT_FAULTS } from './comments.ts';
import { CONSOLE_FAULTS } from './console.ts';
import { CORDON_FAULTS } from './cordons.ts';
import { DANGLING_FAULTS } from './dangling.ts';
import { DATABASE_FAULTS } from './database.ts';
import { DENIAL_FAULTS } from './denial.ts';
import { DNS_FAULTS } from './dns.ts';
import { DOCS_FAULTS } from './docs.ts';
import { EDGE_FAULTS } from './edge.ts';
import { ENCRYPTION_FAULTS } from './encryption.ts';
import { EXTERNAL_DNS_FAULTS } from './external-dns.ts';
import { FAIR_FAULTS } from './fair.ts';
import { FEED_FAULTS } from './feed.ts';
import { GROWTH_FAULTS } from './growth.ts';
import { KEY_IMPORT_FAULTS } from './key-import.ts';
import { KEY_ROLLOVER_FAULTS } from './key-rollover.ts';
import { KEY_ROLL_FAULTS } from './key-rolls.ts';
import { KUBE_FAULTS } from './kube.ts';
import { NAMESERVER_FAULTS } from './nameserver.ts';
import { NODE_FAULTS } from './node.ts';
import { OBSERVABILITY_FAULTS } from './observability.ts';
import { OPERATOR_FAULTS } from './operator.ts';
import { OPERATOR_CLUSTER_FAULTS } from './operator-clusters.ts';
import { OPERATOR_HEALTH_FAULTS } from './operator-health.ts';
import { OWNER_FAULTS } from './owners.ts';
import { PLAIN_FAULTS } from './plain.ts';
import { POWERDNS_FAULTS } from './powerdns.ts';
import { PROFILE_FAULTS } from './profiles.ts';
import { PROOF_NAME_FAULTS } from './proof-names.ts';
import { READ_FAULTS } from './reads.ts';
import { RELEASE_FAULTS } from './release.ts';
import { RESTORE_FAULTS } from './restore.ts';
import { REVERSE_FAULTS } from './reverse.ts';
import { SERVICE_FAULTS } from './service.ts';
import { SOLVER_FAULTS } from './solver.ts';
import { TOKEN_FAULTS } from './tokens.ts';
import { TRANSFER_FAULTS } from './transfers.ts';
import { TRUST_FAULTS } from './trusts.ts';
import { UNREACHABLE_FAULTS } from './unreachable.ts';
import { UP_FAULTS } from './up.ts';
import { UPDATE_FAULTS } from './update.ts';
import { VANTAGE_FAULTS } from './vantage.ts';
import { WEIGHT_FAULTS } from './weights.ts';
import { WIRING_FAULTS } from './wiring.ts';
import { ZONE_FAULTS } from './zones.ts';

export const FAULTS: readonly Fault[] = [
  ...ADDRESS_FAULTS,
  ...DENIAL_FAULTS,
  ...ENCRYPTION_FAULTS,
  ...DNS_FAULTS,
  ...EDGE_FAULTS,
  ...OWNER_FAULTS,
  ...ACCOUNT_FAULTS,
  ...ACME_FAULTS,
  ...CHECK_FAULTS,
  ...VANTAGE_FAULTS,
  ...CHECK_SIGNAL_FAULTS,
  ...CHECK_PAGE_FAULTS,
  ...CLUSTER_FAULTS,
  ...CLOUDNATIVEPG_FAULTS,
  ...TOKEN_FAULTS,
  ...TRANSFER_FAULTS,
  ...TRUST_FAULTS,
  ...SERVICE_FAULTS,
  ...CORDON_FAULTS,
  ...CERTIFICATE_FAULTS,
  ...PLAIN_FAULTS,
  ...DANGLING_FAULTS,
  ...DATABASE_FAULTS,
  ...ZONE_FAULTS,
  ...PROOF_NAME_FAULTS,
  ...UNREACHABLE_FAULTS,
  ...POWERDNS_FAULTS,
  ...CLIENT_ADDRESS_FAULTS,
  ...COMMENT_FAULTS,
  ...UPDATE_FAULTS,
  ...UP_FAULTS,
  ...WIRING_FAULTS,
  ...CLI_FAULTS,
  ...COMMAND_LINE_FAULTS,
  ...CLIENT_FAULTS,
  ...CANARY_FAULTS,
  ...EXTERNAL_DNS_FAULTS,
  ...FAIR_FAULTS,
  ...FEED_FAULTS,
  ...GROWTH_FAULTS,
  ...KEY_IMPORT_FAULTS,
  ...KEY_ROLL_FAULTS,
  ...KEY_ROLLOVER_FAULTS,
  ...KUBE_FAULTS,
  ...OPERATOR_FAULTS,
  ...OPERATOR_CLUSTER_FAULTS,
  ...OPERATOR_HEALTH_FAULTS,
  ...BRAKE_FAULTS,
  ...NAMESERVER_FAULTS,
  ...NODE_FAULTS,
  ...RESTORE_FAULTS,
  ...REVERSE_FAULTS,
  ...OBSERVABILITY_FAULTS,
  ...SOLVER_FAULTS,
  ...CONSOLE_FAULTS,
  ...CHART_FAULTS,
  ...PROFILE_FAULTS,
  ...DOCS_FAULTS,
  ...READ_FAULTS,
  ...RELEASE_FAULTS,
  ...WEIGHT_FAULTS,
];
