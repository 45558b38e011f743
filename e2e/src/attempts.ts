// What a malicious consumer tries with nothing but its own kubeconfig, and who stops it. The suite `isolation` tries all of it on a real API server;
// docs/security.md has it as a table. Data only: nothing is imported.

/** Settings of the provider that the attempts are made under. */
export type Scope =
  /** `informerScope: Namespaced`, and nothing cluster-wide. */
  | 'Namespaced'
  /** `informerScope: Cluster` with `--shared-cluster-scope`, and cluster-scoped resources under isolation Prefixed. */
  | 'Cluster';

export type Stop = 'RBAC' | 'admission policy' | 'API server' | 'authentication' | 'provider role';

/** `{own}` is the consumer's cluster namespace, `{other}` another consumer's; their service namespaces are `{own}-team-a` and `{other}-team-a`. */
export interface Attempted {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

export interface Attempt extends Attempted {
  /** Completes "a consumer that …". */
  readonly tries: string;
  readonly stop: Stop;
  /** Default: both. */
  readonly scope?: Scope;
  /** Default: the consumer's kubeconfig. `revoked`: a token of it from before its revocation. `unbound`: that of a consumer whose export is gone. */
  readonly with?: 'revoked' | 'unbound';
  readonly outcome:
    /** The answer has one of these codes. */
    | { readonly kind: 'refused'; readonly codes: readonly number[] }
    /** The request may be answered, and `path` says none of `words` afterwards, also after the provider has had its time. */
    | { readonly kind: 'ineffective'; readonly path: string; readonly words: readonly string[] }
    /** The request is answered, the provider says why it does nothing, by an Event on the object, or in its status, and `absent` is not there. */
    | { readonly kind: 'told'; readonly reason: string; readonly about: string; readonly absent: string };
}

export interface AttemptGroup {
  readonly title: string;
  readonly attempts: readonly Attempt[];
}

const databases = '/apis/example.com/v1';
const zones = '/apis/example.com/v1/zones';
const own = '/apis/kube-bind.io/v1alpha2/namespaces/{own}';
const other = '/apis/kube-bind.io/v1alpha2/namespaces/{other}';
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const forbidden = { kind: 'refused', codes: [403] } as const;

const database = (name: string, metadata: object = {}): object => ({ apiVersion: 'example.com/v1', kind: 'Database', metadata: { name, ...metadata }, spec: { size: 'small' } });
const zone = (metadata: object): object => ({ apiVersion: 'example.com/v1', kind: 'Zone', metadata, spec: { size: 'small' } });
const secret = (name: string, fields: object = {}): object => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, ...fields });
const kubeBind = (kind: string, name: string, fields: object = {}): object => ({ apiVersion: 'kube-bind.io/v1alpha2', kind, metadata: { name }, ...fields });
const binding = (kind: string, role: string): object => ({
  apiVersion: 'rbac.authorization.k8s.io/v1', kind, metadata: { name: 'mine' }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
  subjects: [{ kind: 'ServiceAccount', name: 'kube-binder', namespace: '{own}' }],
});
const byRBAC = (tries: string, method: Attempt['method'], path: string, body?: object, fields: Partial<Attempt> = {}): Attempt => ({ tries, method, path, ...(body === undefined ? {} : { body }), stop: 'RBAC', outcome: forbidden, ...fields });
const byPolicy = (tries: string, method: Attempt['method'], path: string, body?: object, fields: Partial<Attempt> = {}): Attempt => byRBAC(tries, method, path, body, { stop: 'admission policy', ...fields });
const shared = { scope: 'Cluster' } as const;
const namespaced = { scope: 'Namespaced' } as const;

export const attemptGroups: readonly AttemptGroup[] = [
  {
    title: 'Objects of other consumers',
    attempts: [
      byRBAC('lists the objects of all consumers', 'GET', `${databases}/databases`),
      byRBAC('watches the objects of all consumers', 'GET', `${databases}/databases?watch=true&timeoutSeconds=1`),
      byRBAC('lists the objects of another consumer', 'GET', `${databases}/namespaces/{other}-team-a/databases`),
      byRBAC('reads an object of another consumer', 'GET', `${databases}/namespaces/{other}-team-a/databases/orders`),
      byRBAC('changes an object of another consumer', 'PATCH', `${databases}/namespaces/{other}-team-a/databases/orders`, { spec: { size: 'large' } }),
      byRBAC('creates an object among those of another consumer', 'POST', `${databases}/namespaces/{other}-team-a/databases`, database('mine')),
      byRBAC('deletes an object of another consumer', 'DELETE', `${databases}/namespaces/{other}-team-a/databases/orders`),
      byRBAC('deletes all objects of a namespace at once', 'DELETE', `${databases}/namespaces/{own}-team-a/databases`),
      byRBAC('creates an object in `kube-system`', 'POST', `${databases}/namespaces/kube-system/databases`, database('mine')),
      byRBAC('creates an object in a cluster namespace', 'POST', `${databases}/namespaces/{own}/databases`, database('mine')),
      byRBAC('reports a status in the provider\'s place', 'PATCH', `${databases}/namespaces/{own}-team-a/databases/orders/status`, { status: { phase: 'Ready' } }),
      byPolicy('says in an annotation that its object is another consumer\'s', 'POST', `${databases}/namespaces/{own}-team-a/databases`, database('forged', { annotations: { 'kube-bind.io/cluster-namespace': '{other}' } })),
      byPolicy('makes its object another consumer\'s afterwards', 'PATCH', `${databases}/namespaces/{own}-team-a/databases/orders`, { metadata: { annotations: { 'kube-bind.io/cluster-namespace': '{other}' } } }),
      byRBAC('lists cluster-scoped objects that it was not to share', 'GET', zones, undefined, namespaced),
      byRBAC('creates a cluster-scoped object that it was not to share', 'POST', zones, zone({ name: '{own}-mine' }), namespaced),
      byPolicy('creates a cluster-scoped object with a name of nobody', 'POST', zones, zone({ name: 'mine' }), shared),
      byPolicy('creates a cluster-scoped object with a name of another consumer', 'POST', zones, zone({ name: '{other}-mine' }), shared),
      byPolicy('has the server choose a name that begins with another consumer\'s prefix', 'POST', zones, zone({ generateName: '{other}-' }), shared),
      byPolicy('creates an object named like its prefix without the dash', 'POST', zones, zone({ name: '{own}x' }), shared),
      byPolicy('changes a cluster-scoped object of another consumer', 'PATCH', `${zones}/{other}-north`, { spec: { size: 'large' } }, shared),
      byPolicy('deletes a cluster-scoped object of another consumer', 'DELETE', `${zones}/{other}-north`, undefined, shared),
      byPolicy('takes a cluster-scoped object of its own name for another consumer\'s', 'POST', zones, zone({ name: '{own}-forged', annotations: { 'kube-bind.io/cluster-namespace': '{other}' } }), shared),
    ],
  },
  {
    title: 'Secrets and tokens',
    attempts: [
      byRBAC('lists all Secrets of the provider', 'GET', '/api/v1/secrets'),
      byRBAC('lists the Secrets of `kube-system`', 'GET', '/api/v1/namespaces/kube-system/secrets'),
      byRBAC('lists claimed Secrets of another consumer', 'GET', '/api/v1/namespaces/{other}-team-a/secrets'),
      byRBAC('reads the kubeconfig of another consumer', 'GET', '/api/v1/namespaces/{other}/secrets/kubeconfig'),
      byRBAC('lists the answers to others\' requests', 'GET', '/api/v1/namespaces/onboarding/secrets'),
      byRBAC('replaces its own kubeconfig', 'PATCH', '/api/v1/namespaces/{own}/secrets/kubeconfig', { data: null }),
      byRBAC('creates a Secret in its cluster namespace', 'POST', '/api/v1/namespaces/{own}/secrets', secret('mine')),
      byRBAC('asks for a token of its own ServiceAccount', 'POST', '/api/v1/namespaces/{own}/serviceaccounts/kube-binder/token', { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }),
      byRBAC('asks for a token of a ServiceAccount of its service namespace', 'POST', '/api/v1/namespaces/{own}-team-a/serviceaccounts/default/token', { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }),
      byPolicy('has Kubernetes put a token of another ServiceAccount into a claimed Secret', 'POST', '/api/v1/namespaces/{own}-team-a/secrets', secret('token', { type: 'kubernetes.io/service-account-token', metadata: { name: 'token', annotations: { 'kubernetes.io/service-account.name': 'default' } } })),
      byPolicy('makes a bootstrap token', 'POST', '/api/v1/namespaces/{own}-team-a/secrets', secret('bootstrap-token-abcdef', { type: 'bootstrap.kubernetes.io/token' })),
      byRBAC('claims ConfigMaps that its export does not', 'GET', '/api/v1/namespaces/{own}-team-a/configmaps'),
      { tries: 'replays a token from before it was revoked', method: 'GET', path: `${own}/apiserviceexports`, with: 'revoked', stop: 'authentication', outcome: { kind: 'refused', codes: [401] } },
    ],
  },
  {
    title: 'APIs and claims that it was not given',
    attempts: [
      byRBAC('makes an export of its own', 'POST', `${own}/apiserviceexports`, kubeBind('APIServiceExport', 'mine', { spec: { resources: [{ group: 'example.com', resource: 'zones', versions: ['v1'] }], informerScope: 'Cluster', isolation: 'None' } })),
      byRBAC('adds a claim to its export', 'PATCH', `${own}/apiserviceexports/databases`, { spec: { permissionClaims: [{ group: '', resource: 'serviceaccounts', selector: {} }] } }),
      byRBAC('deletes its export', 'DELETE', `${own}/apiserviceexports/databases`),
      byRBAC('widens the scope of a BoundSchema', 'PATCH', `${own}/boundschemas/databases.example.com`, { spec: { informerScope: 'Cluster', scope: 'Cluster' } }),
      byRBAC('asks for an export in another consumer\'s name', 'POST', `${other}/apiserviceexportrequests`, kubeBind('APIServiceExportRequest', 'mine', { spec: { resources: [{ group: 'example.com', resource: 'databases', versions: ['v1'] }] } })),
      byRBAC('deletes another consumer\'s request', 'DELETE', `${other}/apiserviceexportrequests/databases`),
      byRBAC('offers a template', 'POST', '/apis/kube-bind.io/v1alpha2/apiserviceexporttemplates', kubeBind('APIServiceExportTemplate', 'mine', { spec: { scope: 'Namespaced', resources: [{ group: 'example.com', resource: 'secrets', versions: ['v1'] }] } })),
      byRBAC('asks to be onboarded once more, as somebody else', 'POST', '/apis/kube-bind.io/v1alpha2/namespaces/onboarding/bindableresourcesrequests', kubeBind('BindableResourcesRequest', 'mine', { spec: {} })),
      byRBAC('changes its ClusterBinding', 'PATCH', `${own}/clusterbindings/cluster`, { spec: { kubeconfigSecretRef: { name: 'kube-binder', key: 'token' } } }),
      {
        tries: 'asks for an API that no template offers', method: 'POST', path: `${own}/apiserviceexportrequests`, stop: 'provider role',
        body: kubeBind('APIServiceExportRequest', 'vaults', { spec: { resources: [{ group: 'example.com', resource: 'vaults', versions: ['v1'] }] } }),
        outcome: { kind: 'told', reason: 'NotOffered', about: `${own}/apiserviceexportrequests/vaults`, absent: `${own}/apiserviceexports/vaults` },
      },
      {
        tries: 'asks for a claim that no template offers', method: 'POST', path: `${own}/apiserviceexportrequests`, stop: 'provider role',
        body: kubeBind('APIServiceExportRequest', 'greedy', { spec: { resources: [{ group: 'example.com', resource: 'databases', versions: ['v1'] }], permissionClaims: [{ group: '', resource: 'serviceaccounts', selector: {} }] } }),
        outcome: { kind: 'told', reason: 'ExceedsTemplate', about: `${own}/apiserviceexportrequests/greedy`, absent: `${own}/apiserviceexports/greedy` },
      },
      byRBAC('goes on using an API after its export is gone', 'GET', `${databases}/namespaces/{own}-team-a/databases`, undefined, { with: 'unbound' }),
      byRBAC('goes on reading claimed Secrets after the export is gone', 'GET', '/api/v1/namespaces/{own}-team-a/secrets', undefined, { with: 'unbound' }),
    ],
  },
  {
    title: 'Namespaces',
    attempts: [
      byRBAC('deletes its service namespace, with the objects in it', 'DELETE', '/api/v1/namespaces/{own}-team-a'),
      byRBAC('deletes its cluster namespace', 'DELETE', '/api/v1/namespaces/{own}'),
      byRBAC('deletes another consumer\'s service namespace', 'DELETE', '/api/v1/namespaces/{other}-team-a'),
      byRBAC('creates a namespace', 'POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: '{own}-mine' } }),
      byRBAC('marks a namespace as its own', 'PATCH', '/api/v1/namespaces/{own}', { metadata: { annotations: { 'hawser.dev/shared-namespace': 'true' } } }),
      byRBAC('assigns itself `kube-system`', 'PATCH', `${own}/apiservicenamespaces/team-a/status`, { status: { namespace: 'kube-system' } }),
      byRBAC('changes an APIServiceNamespace', 'PATCH', `${own}/apiservicenamespaces/team-a`, { metadata: { labels: { 'kube-bind.io/owner': 'provider' } } }),
      byRBAC('gives back another consumer\'s namespace', 'DELETE', `${other}/apiservicenamespaces/team-a`),
      {
        tries: 'creates an APIServiceNamespace that has a namespace already', method: 'POST', path: `${own}/apiservicenamespaces`, stop: 'API server', body: kubeBind('APIServiceNamespace', 'sly', { status: { namespace: 'kube-system' } }),
        outcome: { kind: 'ineffective', path: `${own}/apiservicenamespaces/sly`, words: ['kube-system'] },
      },
      {
        tries: 'asks for a namespace that is somebody else\'s by the name that it would have', method: 'POST', path: `${own}/apiservicenamespaces`, stop: 'provider role', body: kubeBind('APIServiceNamespace', 'foreign'),
        outcome: { kind: 'told', reason: 'NamespaceConflict', about: `${own}/apiservicenamespaces/foreign`, absent: `${rbac}/namespaces/{own}-foreign/rolebindings/kube-binder:{own}:objects:databases.example.com` },
      },
      {
        tries: 'asks for a namespace whose name is too long once it is prefixed', method: 'POST', path: `${own}/apiservicenamespaces`, stop: 'provider role', body: kubeBind('APIServiceNamespace', 'n'.repeat(60)),
        outcome: { kind: 'told', reason: 'NamespaceNameTooLong', about: `${own}/apiservicenamespaces/${'n'.repeat(60)}`, absent: `/api/v1/namespaces/{own}-${'n'.repeat(60)}` },
      },
      {
        tries: 'gives back its namespace, to have the objects in it deleted', method: 'DELETE', path: `${own}/apiservicenamespaces/team-b`, stop: 'provider role',
        outcome: { kind: 'ineffective', path: '/api/v1/namespaces/{own}-team-b', words: ['deletionTimestamp', '"code":404'] },
      },
    ],
  },
  {
    title: 'More rights',
    attempts: [
      byRBAC('binds itself to `cluster-admin`', 'POST', `${rbac}/clusterrolebindings`, binding('ClusterRoleBinding', 'cluster-admin')),
      byRBAC('binds itself to `admin` in its service namespace', 'POST', `${rbac}/namespaces/{own}-team-a/rolebindings`, binding('RoleBinding', 'admin')),
      byRBAC('puts itself into another consumer\'s binding', 'PATCH', `${rbac}/namespaces/{other}-team-a/rolebindings/kube-binder:{other}:objects:databases.example.com`, { subjects: [] }),
      byRBAC('changes the ClusterRole of all consumers', 'PATCH', `${rbac}/clusterroles/kube-binder`, { rules: [] }),
      byRBAC('removes the admission policy', 'DELETE', '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/hawser-consumers'),
      byRBAC('changes the CRD of what it has bound', 'PATCH', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/databases.example.com', { metadata: { labels: { mine: 'yes' } } }),
      byRBAC('runs a pod in its service namespace', 'POST', '/api/v1/namespaces/{own}-team-a/pods', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'mine' }, spec: { containers: [{ name: 'c', image: 'i' }] } }),
      byRBAC('writes Events in the provider\'s name', 'POST', '/api/v1/namespaces/{own}/events', { apiVersion: 'v1', kind: 'Event', metadata: { name: 'mine' }, involvedObject: { namespace: '{own}' } }),
      {
        tries: 'puts annotations on its export by way of the status', method: 'PATCH', path: `${own}/apiserviceexports/databases/status`, stop: 'API server', body: { metadata: { annotations: { 'hawser.dev/schema-update': 'Always' }, labels: { forged: 'yes' } } },
        outcome: { kind: 'ineffective', path: `${own}/apiserviceexports/databases`, words: ['hawser.dev/schema-update', 'forged'] },
      },
      {
        tries: 'says in a status that it has rights', method: 'PATCH', path: `${own}/apiserviceexports/zones/status`, stop: 'provider role', scope: 'Namespaced',
        body: { status: { conditions: [{ type: 'RightsGranted', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] } },
        outcome: { kind: 'ineffective', path: `${rbac}/clusterrolebindings`, words: ['kube-binder:{own}:'] },
      },
      {
        tries: 'says in the status of a BoundSchema that it is cluster-scoped', method: 'PATCH', path: `${own}/boundschemas/databases.example.com/status`, stop: 'API server', body: { spec: { scope: 'Cluster' }, status: { acceptedNames: { plural: 'secrets', kind: 'Secret' } } },
        outcome: { kind: 'ineffective', path: `${rbac}/clusterrolebindings`, words: ['kube-binder:{own}:objects:databases.example.com', 'secrets'] },
      },
    ],
  },
];

/** What the konnectors need (`spec/konnector.md §14.2`), ours and the Go one: goes on working whatever others try. In this order. */
export const needed: readonly (Attempted & { readonly scope?: Scope })[] = [
  { method: 'GET', path: '/api/v1/namespaces/{own}' },
  { method: 'GET', path: '/api/v1/namespaces/{own}/secrets' },
  { method: 'GET', path: '/api/v1/namespaces/{own}/secrets?watch=true&timeoutSeconds=1' },
  { method: 'GET', path: `${own}/clusterbindings` },
  { method: 'PATCH', path: `${own}/clusterbindings/cluster/status`, body: { status: { konnectorVersion: 'v1.2.3' } } },
  { method: 'GET', path: `${own}/apiserviceexports?watch=true&timeoutSeconds=1` },
  { method: 'GET', path: `${own}/apiserviceexportrequests` },
  { method: 'PATCH', path: `${own}/apiserviceexports/databases/status`, body: { status: { conditions: [] } } },
  { method: 'GET', path: `${own}/boundschemas/databases.example.com` },
  { method: 'PATCH', path: `${own}/boundschemas/databases.example.com/status`, body: { status: { storedVersions: ['v1'] } } },
  { method: 'GET', path: `${own}/apiservicenamespaces?watch=true&timeoutSeconds=1` },
  { method: 'POST', path: `${own}/apiservicenamespaces`, body: kubeBind('APIServiceNamespace', 'extra') },
  { method: 'DELETE', path: `${own}/apiservicenamespaces/extra` },
  { method: 'GET', path: `${databases}/namespaces/{own}-team-a/databases` },
  { method: 'GET', path: `${databases}/namespaces/{own}-team-a/databases?watch=true&timeoutSeconds=1` },
  { method: 'POST', path: `${databases}/namespaces/{own}-team-a/databases`, body: database('needed', { annotations: { 'kube-bind.io/cluster-namespace': '{own}' } }) },
  { method: 'PATCH', path: `${databases}/namespaces/{own}-team-a/databases/needed`, body: { spec: { size: 'large' } } },
  { method: 'DELETE', path: `${databases}/namespaces/{own}-team-a/databases/needed` },
  { method: 'GET', path: '/api/v1/namespaces/{own}-team-a/secrets?watch=true&timeoutSeconds=1' },
  { method: 'POST', path: '/api/v1/namespaces/{own}-team-a/secrets', body: secret('needed', { metadata: { name: 'needed', labels: { 'kube-bind.io/owner': 'consumer' } } }) },
  { method: 'PUT', path: '/api/v1/namespaces/{own}-team-a/secrets/needed', body: secret('needed', { data: { a: 'YQ==' } }) },
  { method: 'PATCH', path: '/api/v1/namespaces/{own}-team-a/secrets/needed', body: { data: { b: 'YQ==' } } },
  { method: 'DELETE', path: '/api/v1/namespaces/{own}-team-a/secrets/needed' },
  { method: 'POST', path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', body: { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: { resourceAttributes: { verb: 'get', resource: 'secrets' } } } },
  { method: 'GET', path: zones, scope: 'Cluster' },
  { method: 'GET', path: `${zones}?watch=true&timeoutSeconds=1`, scope: 'Cluster' },
  { method: 'POST', path: zones, body: zone({ name: '{own}-needed', annotations: { 'kube-bind.io/cluster-namespace': '{own}' } }), scope: 'Cluster' },
  { method: 'PATCH', path: `${zones}/{own}-needed`, body: { spec: { size: 'large' } }, scope: 'Cluster' },
  { method: 'DELETE', path: `${zones}/{own}-needed`, scope: 'Cluster' },
];
