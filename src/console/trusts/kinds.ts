// The kinds of issuers that the form of a trust offers, with the claims that each kind binds. A kind only arranges the
// form: the service knows an issuer, the source of its keys, and claims. Pure.

/** A field of the form that binds one claim of the token. */
export interface ClaimField {
  /** The name of the field. */
  name: string;
  /** The place of the claim in the token. */
  path: readonly string[];
  label: string;
  hint: string;
  placeholder: string;
  /** Values for `*` in the preview. Empty: a wildcard makes no sense here. */
  examples: readonly string[];
  /** A checkbox that binds the claim to this text, instead of a text field. */
  fixed?: string;
  /** The value of an empty form. */
  initial?: string;
}

export interface TrustKind {
  id: string;
  label: string;
  /** A sentence about the tokens of this kind. */
  about: string;
  issuer: { label: string; initial: string; placeholder: string; hint: string };
  /** The sources of keys that the form offers, the usual one first. */
  keySources: readonly ('discovery' | 'jwks' | 'pinned')[];
  claims: readonly ClaimField[];
  /** Whether the form has a text for claims of any name. */
  anyClaims: boolean;
  /** Names of records that use the claims. */
  names: string;
}

const NO_WILDCARD: readonly string[] = [];
// biome-ignore lint/suspicious/noTemplateCurlyInString: a template of the service.
const OF_NAMESPACE = '${namespace}\n*.${namespace}';

export const KINDS: readonly TrustKind[] = [
  {
    id: 'kubernetes',
    label: 'Kubernetes service accounts',
    about: 'Pods of a cluster use a projected token of their service account.',
    issuer: {
      label: 'Issuer of the cluster',
      initial: '',
      placeholder: 'https://oidc.cluster.example.com',
      hint: 'As kubectl get --raw /.well-known/openid-configuration shows it. Only the administrator can trust https://kubernetes.default.svc.',
    },
    keySources: ['pinned', 'jwks', 'discovery'],
    claims: [
      {
        name: 'namespace',
        path: ['kubernetes.io', 'namespace'],
        label: 'Namespace',
        hint: '* is every namespace.',
        placeholder: '*',
        examples: ['shop', 'billing'],
        initial: '*',
      },
      {
        name: 'serviceAccount',
        path: ['kubernetes.io', 'serviceaccount', 'name'],
        label: 'Service account',
        hint: 'Empty: every one. With *, names can use its name as a template.',
        placeholder: 'dns',
        examples: ['deployer', 'default'],
      },
    ],
    anyClaims: false,
    names: OF_NAMESPACE,
  },
  {
    id: 'github',
    label: 'GitHub Actions',
    about: 'GitHub gives a token to each job of a workflow with the permission id-token: write.',
    issuer: {
      label: 'Issuer',
      initial: 'https://token.actions.githubusercontent.com',
      placeholder: 'https://token.actions.githubusercontent.com',
      hint: 'GitHub Enterprise Server has an issuer of its own.',
    },
    keySources: ['discovery'],
    claims: [
      {
        name: 'repositoryId',
        path: ['repository_id'],
        label: 'Id of the repository',
        hint: 'The id never changes. Another account can get the name of a repository that was deleted.',
        placeholder: '456789',
        examples: NO_WILDCARD,
      },
      {
        name: 'ownerId',
        path: ['repository_owner_id'],
        label: 'Id of the owner',
        hint: 'The organization or person that the repository belongs to.',
        placeholder: '123456',
        examples: NO_WILDCARD,
      },
      {
        name: 'environment',
        path: ['environment'],
        label: 'Environment',
        hint: 'Give it protection rules at GitHub: otherwise every account that can push a branch can name it.',
        placeholder: 'production',
        examples: NO_WILDCARD,
      },
      {
        name: 'ref',
        path: ['ref'],
        label: 'Branch or tag',
        hint: 'As a full ref. Empty: every branch and tag.',
        placeholder: 'refs/heads/main',
        examples: ['refs/tags/v1', 'refs/tags/v2'],
      },
      {
        name: 'refProtected',
        path: ['ref_protected'],
        label: 'Only protected branches and tags',
        hint: '',
        placeholder: '',
        examples: NO_WILDCARD,
        fixed: 'true',
      },
    ],
    anyClaims: false,
    names: '',
  },
  {
    id: 'gitlab',
    label: 'GitLab CI/CD',
    about: 'GitLab gives a token to each job that declares id_tokens.',
    issuer: {
      label: 'Address of GitLab',
      initial: 'https://gitlab.com',
      placeholder: 'https://gitlab.example.org',
      hint: 'Without a path and without a slash at the end.',
    },
    keySources: ['discovery', 'jwks', 'pinned'],
    claims: [
      {
        name: 'projectId',
        path: ['project_id'],
        label: 'Id of the project',
        hint: 'The id stays the same when the project gets another path.',
        placeholder: '46573356',
        examples: NO_WILDCARD,
      },
      {
        name: 'namespacePath',
        path: ['namespace_path'],
        label: 'Group',
        hint: 'The full path of the group. Use it for all projects of a group, and the id for a single project.',
        placeholder: 'acme',
        examples: ['acme/shop', 'acme/billing'],
      },
      {
        name: 'environment',
        path: ['environment'],
        label: 'Environment',
        hint: 'The author of a pipeline chooses the environment of a job. Protect the environment as well.',
        placeholder: 'production',
        examples: NO_WILDCARD,
      },
      {
        name: 'environmentProtected',
        path: ['environment_protected'],
        label: 'Only protected environments',
        hint: '',
        placeholder: '',
        examples: NO_WILDCARD,
        fixed: 'true',
      },
      {
        name: 'refProtected',
        path: ['ref_protected'],
        label: 'Only protected branches and tags',
        hint: '',
        placeholder: '',
        examples: NO_WILDCARD,
        fixed: 'true',
        initial: 'true',
      },
    ],
    anyClaims: false,
    names: '',
  },
  {
    id: 'spiffe',
    label: 'SPIFFE',
    about: 'Workloads use a JWT-SVID of their SPIFFE ID, for example from SPIRE.',
    issuer: {
      label: 'Trust domain',
      initial: '',
      placeholder: 'spiffe://example.org',
      hint: 'The SPIFFE ID of the trust domain.',
    },
    keySources: ['jwks', 'pinned'],
    claims: [
      {
        name: 'spiffeId',
        path: ['sub'],
        label: 'SPIFFE ID',
        hint: '* is any run of characters.',
        placeholder: 'spiffe://example.org/ns/shop/sa/dns',
        examples: ['shop/sa/dns', 'billing/sa/dns'],
      },
    ],
    anyClaims: false,
    names: '',
  },
  {
    id: 'oidc',
    label: 'Other OpenID issuer',
    about: 'Any issuer of signed JSON Web Tokens, for example Buildkite, CircleCI, Keycloak or a cloud.',
    issuer: {
      label: 'Issuer',
      initial: '',
      placeholder: 'https://issuer.example.org',
      hint: 'Exactly the text of the claim iss.',
    },
    keySources: ['discovery', 'jwks', 'pinned'],
    claims: [
      {
        name: 'subject',
        path: ['sub'],
        label: 'Subject',
        hint: 'The claim sub. * is any run of characters.',
        placeholder: 'service:dns',
        examples: ['a', 'b'],
      },
    ],
    anyClaims: true,
    names: '',
  },
];

/** The first kind if there is none of this id. */
export function findTrustKind(id: string): TrustKind {
  return KINDS.find((kind) => kind.id === id) ?? (KINDS[0] as TrustKind);
}
