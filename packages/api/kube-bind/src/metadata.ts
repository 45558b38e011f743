// Keys on objects (spec/kube-bind-api.md §11).

/** Labels of the contract. */
export const labels = {
  /** `provider` or `consumer`: who owns a claimed object, an APIServiceNamespace or a namespace made for it. */
  owner: 'kube-bind.io/owner',
  /** `true` on a consumer Secret that holds a provider kubeconfig. */
  providerKubeconfig: 'kube-bind.io/provider-kubeconfig',
  /** `true` on a CRD that the provider offers. */
  exported: 'kube-bind.io/exported',
  /** `true` on a ClusterRole made for an export. */
  aggregateToParent: 'rbac.kube-bind.io/aggregate-to-parent',
} as const;

/** Values of the label `owner`. */
export const owners = { provider: 'provider', consumer: 'consumer' } as const;
export type Owner = (typeof owners)[keyof typeof owners];

/** Annotations of the contract. */
export const annotations = {
  /** On a provider copy: the cluster namespace of its consumer. */
  clusterNamespace: 'kube-bind.io/cluster-namespace',
  /** On a provider copy: the consumer namespace, empty for a cluster-scoped object. */
  consumerNamespace: 'kube-bind.io/consumer-namespace',
  /** On a provider copy: uid of the consumer object. */
  consumerUID: 'kube-bind.io/consumer-uid',
  /** On a consumer object: the namespace of its provider copy, empty for a cluster-scoped one. */
  providerNamespace: 'kube-bind.io/provider-namespace',
  /** On a consumer object: uid of its provider copy. */
  providerUID: 'kube-bind.io/provider-uid',
  /** On APIServiceExport and BoundSchema: {@link schemaHash}. */
  sourceSpecHash: 'kube-bind.io/source-spec-hash',
  /** On a service namespace: `<cluster namespace>/<consumer namespace>`. */
  apiServiceNamespace: 'kube-bind.io/api-service-namespace',
  /** On an APIServiceBinding; only a printer column reads it. */
  resources: 'kube-bind.io/resources',
  /** On cluster namespaces and ClusterBindings: identity of the consumer. */
  identity: 'backend.kube-bind.io/identity',
  /** Key of the identity in old releases. */
  legacyIdentity: 'example-backend.kube-bind.io/identity',
  author: 'backend.kube-bind.io/author',
  clusterPrettyName: 'backend.kube-bind.io/cluster-pretty-name',
} as const;

/** Prefix of every annotation that only Hawser writes. Never copied between clusters. */
export const hawserPrefix = 'hawser.dev/';

/** Annotations of Hawser's own. */
export const hawserAnnotations = {
  /**
   * On a consumer object, or on an APIServiceBinding that is being deleted: release it, for the reason in the value,
   * whatever became of its copies.
   */
  release: 'hawser.dev/release',
  /** On a provider copy, and on an APIServiceBinding: which consumer cluster it belongs to. */
  consumerIdentity: 'hawser.dev/consumer-identity',
  /**
   * On a provider copy: its consumer object, as `<Kind>.<group>/<namespace>/<name>`. Children that inherit the
   * annotations have other names.
   */
  consumerObject: 'hawser.dev/consumer-object',
  /**
   * On an APIServiceBinding, set by a person: uids, separated by commas, of consumer clusters that this one replaces;
   * their copies become its own.
   */
  formerConsumerIdentity: 'hawser.dev/former-consumer-identity',
  /** On a provider copy in a dialect that has no such mark: uid of the consumer object. */
  consumerUID: 'hawser.dev/consumer-uid',
  /** On a consumer object made from a provider object: uid of that one. */
  adoptedFrom: 'hawser.dev/adopted-from',
  /** On a provider copy: hash of the content last applied. */
  wantedHash: 'hawser.dev/wanted-hash',
  /** On a copy: hash of a wanted content that the provider changed while storing it; it is not written again. */
  rewrittenHash: 'hawser.dev/rewritten-hash',
  /**
   * On an APIServiceBinding or its bundle: ids of the claims that its operator accepts, separated by commas; `*`
   * accepts all, later ones too. On a new binding it lists all accepted claims.
   */
  acceptedClaims: 'hawser.dev/accepted-claims',
  /**
   * On an APIServiceBinding: namespaces, separated by commas, into which its claims may bring objects even if the
   * consumer has no bound objects there; `*` is every one.
   */
  claimNamespaces: 'hawser.dev/claim-namespaces',
  /**
   * On an APIServiceBinding, written by the konnector: the claims that the consumer agreed to, how and when; see
   * `consentRecordOf`.
   */
  claimConsent: 'hawser.dev/claim-consent',
  /** The schema policy of an export or template, and of an APIServiceBinding: `Safe`, `Always` or `Never`. */
  schemaUpdate: 'hawser.dev/schema-update',
  /** On an APIServiceExport, and on an APIServiceBinding: hashes of approved schema changes, separated by commas. */
  schemaApproved: 'hawser.dev/schema-approved',
  /** On an export, template or CRD: the steps in which a schema change reaches consumers. */
  schemaRollout: 'hawser.dev/schema-rollout',
  /**
   * On an APIServiceExport: hashes of schemas that the consumer must not get, separated by commas; Hawser rolls back
   * one it already has.
   */
  schemaRejected: 'hawser.dev/schema-rejected',
  /**
   * On an APIServiceExport: hashes of schemas that the consumer serves, as the provider declares, separated by commas:
   * its konnector cannot report it.
   */
  schemaProven: 'hawser.dev/schema-proven',
  /** On a BoundSchema: the schema before this one. */
  previousSchema: 'hawser.dev/previous-schema',
  /** On an APIServiceBinding: `Orphan`, `Delete` or `Block`; see `unbindPolicyOf`. */
  unbindPolicy: 'hawser.dev/unbind-policy',
  /** On an APIServiceBinding, and on a Namespace that was made for a provider: uid of the cluster namespace on the provider. */
  providerIdentity: 'hawser.dev/provider-identity',
  /**
   * On a consumer object, an APIServiceBinding or a kubeconfig Secret: Hawser writes nothing for it, for the reason in
   * the value.
   */
  paused: 'hawser.dev/paused',
  /**
   * Retry refused writes at once, without back-off; each new value does it once. On a consumer object: for that object;
   * on an APIServiceBinding: for all its objects. `hawser retry` writes the time.
   */
  retryAt: 'hawser.dev/retry-at',
  /** On an APIServiceBinding: `Fail`, `Adopt` or `Skip`. */
  conflictPolicy: 'hawser.dev/conflict-policy',
  /** On an APIServiceBinding: `Correct`, `Report` or `Ignore`. */
  driftPolicy: 'hawser.dev/drift-policy',
  /** On an APIServiceBinding: JSON pointers to fields that belong to the provider once a copy exists. */
  driftIgnore: 'hawser.dev/drift-ignore',
  /** On an APIServiceExport: uid of its request. Once that request is gone, the consumer has given up the export. */
  request: 'hawser.dev/request',
  /** On an APIServiceExport: the template that granted it. */
  template: 'hawser.dev/template',
  /** On a template: `required`, if the provider must approve each consumer; see `wantsApproval`. */
  approval: 'hawser.dev/approval',
  /** On a ClusterBinding, by the provider: templates approved for its consumer, separated by commas. */
  approvedTemplates: 'hawser.dev/approved-templates',
  /**
   * On a ClusterBinding, by the portal: templates that its consumer may bind because a person with the right bound them
   * for it, separated by commas.
   */
  grantedTemplates: 'hawser.dev/granted-templates',
  /**
   * On an APIServiceExport: why its rights are withdrawn; see `isWithdrawn`. On a cluster namespace: withdraws all
   * exports of the consumer, for the reason in the value; see `isWithdrawnByNamespace`.
   */
  withdrawn: 'hawser.dev/withdrawn',
  /** On a cluster namespace: names of exports whose rights are withdrawn, separated by commas. */
  withdrawnExports: 'hawser.dev/withdrawn-exports',
  /**
   * On an export or template: what happens to the consumer's copies when the export ends; see
   * `withdrawnObjectsPolicyOf`.
   */
  withdrawnObjects: 'hawser.dev/withdrawn-objects',
  /**
   * On an APIServiceBinding, an APIServiceBindingBundle, and an APIServiceExport that ends: approved deletions; the
   * condition `DeletionsHeld` states the value.
   */
  approveDeletions: 'hawser.dev/approve-deletions',
  /**
   * On a cluster namespace, else its ClusterBinding (see `credentialWord`): `Legacy`, the default, a token that never
   * expires; or `Rotating`, for a consumer whose konnector rotates well.
   */
  credential: 'hawser.dev/credential',
  /** On the Secret with a consumer's kubeconfig: when its token expires, RFC 3339. Absent: never. Written by the provider role. */
  credentialExpires: 'hawser.dev/credential-expires',
  /** On either: replace the consumer's credential; each new value does it once. */
  replaceCredential: 'hawser.dev/replace-credential',
  /** On either: the consumer has no access, for the reason in the value, while this annotation exists. */
  revokeCredential: 'hawser.dev/revoke-credential',
  /**
   * On a cluster namespace: namespaces, separated by commas, whose BindableResourcesRequests may ask for this
   * consumer's kubeconfig.
   */
  onboardingNamespaces: 'hawser.dev/onboarding-namespaces',
} as const;

/** Finalizers: the contract's, and Hawser's own. */
export const finalizers = {
  /** On a consumer object that has, or may have, a provider copy. Note the domain: no dash. */
  syncer: 'kubebind.io/syncer',
  /** Hawser's own, on an APIServiceBinding whose unbind policy is `Delete` or `Block`. */
  unbind: 'hawser.dev/unbind',
  /** Hawser's own, on an APIServiceExport whose policy for withdrawn objects is `Delete`. */
  withdrawnObjects: 'hawser.dev/withdrawn-objects',
} as const;

/** Field manager of every apply on the provider. */
export const fieldManager = 'kube-bind.io';
