// Refusals about teams, members, invitations, quotas and app keys, and about signing in.
import type { RefusalText } from './rule.ts';

export const ACCOUNT_REFUSALS = {
  'app-key': {
    code: 'forbidden',
    sentence:
      'This is the key of an app account; only a personal key (yu_…) can read and change teams, members and keys.',
  },
  'no-team': { code: 'not_found', sentence: 'No such team, or you are not a member of it.' },
  'owners-only': { code: 'forbidden', sentence: 'Only an owner of the team may do this; you are a member.' },
  'no-member': { code: 'not_found', sentence: 'This team has no such member.' },
  'last-owner': {
    code: 'conflict',
    sentence: 'This is the last owner of the team: make another member owner first.',
  },
  'too-many-teams': {
    code: 'conflict',
    sentence: 'You are in {limit} teams, which is the maximum; leave one of them first.',
  },
  'team-name-taken': {
    code: 'conflict',
    field: 'name',
    sentence: 'the name {name} is taken; choose another one.',
  },
  'over-quota': {
    code: 'forbidden',
    sentence:
      '{holder} {used} of {limit} {things}, and this change needs {more} more. Delete objects that you no longer need, or ask the administrator of the service to raise the quota ({setting}).',
  },
  'member-already': {
    code: 'conflict',
    field: 'email',
    sentence: '{email} is a member of this team already; change the role instead.',
  },
  'invited-already': {
    code: 'conflict',
    field: 'email',
    sentence: '{email} has an open invitation to this team; revoke it to send another one.',
  },
  'team-invitations': {
    code: 'conflict',
    sentence: 'The team has {limit} open invitations, which is the maximum; revoke one of them.',
  },
  'sent-invitations': {
    code: 'conflict',
    sentence: 'You have sent {limit} invitations that are open, which is the maximum; revoke one of them.',
  },
  'received-invitations': {
    code: 'conflict',
    field: 'email',
    sentence: 'this address has {limit} open invitations, which is the maximum.',
  },
  'no-invitation': { code: 'not_found', sentence: 'No such invitation of this team; it may have been answered.' },
  'invitation-gone': {
    code: 'not_found',
    sentence: 'No such invitation to you; it may have been revoked, or it has expired.',
  },
  'no-own-key': { code: 'not_found', sentence: 'You have no such session or key: it has ended already.' },
  'no-key': { code: 'not_found', sentence: 'No such key of this team.' },
  'key-once': {
    code: 'bad_request',
    field: 'Idempotency-Key',
    sentence:
      'a key cannot be created with this header, because the service would have to store the answer with the secret. Omit it; if an answer is lost, revoke the key that the list shows.',
  },
  'key-ended': { code: 'conflict', sentence: 'This key is revoked permanently; create a new one.' },
  'grant-without-zone': {
    code: 'no_zone',
    field: 'grants',
    sentence: 'a zone named there does not exist, or does not belong to this team.',
  },
  'provider-no-team': {
    code: 'forbidden',
    sentence: 'None of your groups has a team here, and no team has invited {email}.',
  },
  'provider-no-email': {
    code: 'forbidden',
    sentence: 'Your identity provider did not supply your e-mail address (claim email).',
  },
  'provider-email-form': {
    code: 'forbidden',
    sentence:
      'Your identity provider states the address {email}. An address must have ASCII characters before the @, and a domain in A-label form (xn--…) after it.',
  },
  'provider-address-taken': {
    code: 'forbidden',
    sentence:
      'Your identity provider states the address {email}, which another person of this service has. The administrator can remove that person, or give it your account: "zonestead admin users list" shows both.',
  },
  'provider-other-account': {
    code: 'forbidden',
    sentence:
      'The person with the address {email} signs in with another account of your identity provider. If both are yours, the administrator of this service can move the person to this account: {command}',
  },
  'person-suspended': {
    code: 'forbidden',
    sentence: 'The administrator of this service has suspended your access.',
  },
  'provider-email-unverified': {
    code: 'forbidden',
    sentence: 'Your identity provider says that it has not verified your address {email}. Verify it there.',
  },
  'provider-email-unclear': {
    code: 'forbidden',
    sentence:
      'Your identity provider does not say whether it has verified your address {email} (claim email_verified). If it never gives an account the address of another person, the administrator of this service can set ZONESTEAD_OIDC_TRUST_EMAIL=on.',
  },
  'provider-unreachable': {
    code: 'busy',
    sentence: '{provider} cannot be reached at the moment; try again, or sign in with a key.',
  },
  'provider-did-not-confirm': {
    code: 'bad_request',
    sentence: '{provider} did not confirm your identity. Sign in again.',
  },
  'sign-in-not-begun': {
    code: 'bad_request',
    sentence: 'This sign-in was not started in this browser, or it took too long. Sign in again.',
  },
  'no-cluster': { code: 'not_found', field: 'name', sentence: 'the cluster {name} does not exist: {known}.' },
  'cluster-of-several': {
    code: 'bad_request',
    field: 'owner',
    sentence: 'several owners have a cluster {name}: {owners}. Name one of them.',
  },
  'too-many-clusters': {
    code: 'conflict',
    field: 'name',
    sentence: '{limit} clusters have sent heartbeats, which is the maximum; remove one that is gone.',
  },
  'may-not-use-clusters': {
    code: 'forbidden',
    sentence:
      'This key may neither send heartbeats nor see clusters: it needs the right "clusters" at level write. A member of its team sets it.',
  },
  'cluster-name-held': {
    code: 'conflict',
    field: 'instance',
    sentence:
      'the name of the cluster {name} belongs to another API key or token. Give this cluster another name, or send its heartbeats with the key that it had before. If the key was replaced, an owner of the team runs "zonestead clusters release {name}", and the next heartbeat gets the name.',
  },
  'cluster-name-taken': {
    code: 'conflict',
    field: 'instance',
    sentence:
      'another Kubernetes cluster sends the heartbeats of the cluster {name}. Give this one another name, or stop the other one: {seconds} seconds after its last heartbeat it is lost, and the same API key may use its name.',
  },
  'cluster-owns-records': {
    code: 'conflict',
    field: 'name',
    sentence:
      'the cluster {name} owns {sets} sets of records. Release them with "zonestead owners release", or delete the zones.',
  },
  'cluster-alive': {
    code: 'conflict',
    field: 'name',
    sentence: 'the cluster {name} sent a heartbeat less than {seconds} seconds ago. Stop its operator first.',
  },
  'key-of-a-team': {
    code: 'bad_request',
    field: 'key',
    sentence:
      'This is the key of a team, which is for programs. People sign in with a personal key, which begins with yu_.',
  },
  'not-a-persons-key': {
    code: 'bad_request',
    field: 'key',
    sentence:
      'This is not a valid personal key. A personal key begins with yu_ and is neither revoked nor expired; "zonestead admin users add" creates a new one.',
  },
} as const satisfies Record<string, RefusalText>;
