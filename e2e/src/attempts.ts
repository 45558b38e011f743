// Attempts of a malicious consumer with its own kubeconfig only, and what stops each. The suite `isolation` tries all
// of them on a real API server; docs/reference/threats.md lists them. Data only: imports nothing.

/**
 * Settings of the provider: the isolation, and whether `--shared-cluster-scope` (then also `informerScope: Cluster`).
 */
export type Setting = 'Prefixed' | 'Prefixed, shared' | 'None' | 'None, shared' | 'Namespaced' | 'Namespaced, shared';

export type Stop = 'RBAC' | 'admission policy' | 'API server' | 'authentication' | 'provider role' | 'quota' | 'nobody';

/**
 * A request. `{own}` is the consumer's cluster namespace, `{other}` another consumer's. Their service namespaces are
 * `{own}-team-a` and `{other}-team-a`; under isolation None both are `team-a`, and `{other}` has `only-b` too. Under
 * isolation Namespaced their copies are in the cluster namespaces.
 */
export interface Attempted {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

export interface Attempt extends Attempted {
  /** Completes "a consumer that …". */
  readonly tries: string;
  readonly stop: Stop;
  /** Default: isolation Prefixed, shared or not. */
  readonly settings?: readonly Setting[];
  /**
   * Default: the consumer's kubeconfig. `revoked`: one of its tokens from before a revocation. `rotated`: a replaced
   * token. `unbound`: the token of a consumer without an export. `greedy`: the token of a consumer with limits.
   */
  readonly with?: 'revoked' | 'rotated' | 'unbound' | 'greedy';
  /** Requests to send first, with the same credential; their answers do not matter. */
  readonly first?: readonly Attempted[];
  /** Number of repetitions, with `{n}` counting. Meanwhile another consumer must be served. Default: once. */
  readonly times?: number;
  /**
   * Behind a gateway, where `outcome` does not hold. `own`: answered, with nothing but the consumer's own. `refused`:
   * with 403. `served`: a legitimate request there.
   */
  readonly gateway?: 'own' | 'refused' | 'served';
  readonly outcome:
    /** The answer has one of these codes; of a repeated request the last one. */
    | { readonly kind: 'refused'; readonly codes: readonly number[] }
    /** It works. `reason` reports it, in the answer of `about` or by an Event. */
    | { readonly kind: 'possible'; readonly codes: readonly number[]; readonly reason: string; readonly about: string }
    /**
     * The request may succeed, but `path` contains none of `words` afterwards, even after the provider has had time to
     * act.
     */
    | { readonly kind: 'ineffective'; readonly path: string; readonly words: readonly string[] }
    /**
     * The request succeeds, the provider reports why it does nothing, by an Event on the object or in its status, and
     * `absent` does not exist.
     */
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

const database = (name: string, metadata: object = {}): object => ({
  apiVersion: 'example.com/v1',
  kind: 'Database',
  metadata: { name, ...metadata },
  spec: { size: 'small' },
});
const zone = (metadata: object): object => ({
  apiVersion: 'example.com/v1',
  kind: 'Zone',
  metadata,
  spec: { size: 'small' },
});
const secret = (name: string, fields: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  ...fields,
});
const kubeBind = (kind: string, name: string, fields: object = {}): object => ({
  apiVersion: 'kube-bind.io/v1alpha2',
  kind,
  metadata: { name },
  ...fields,
});
const binding = (kind: string, role: string): object => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  metadata: { name: 'mine' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
  subjects: [{ kind: 'ServiceAccount', name: 'kube-binder', namespace: '{own}' }],
});
const byRBAC = (
  tries: string,
  method: Attempt['method'],
  path: string,
  body?: object,
  fields: Partial<Attempt> = {},
): Attempt => ({
  tries,
  method,
  path,
  ...(body === undefined ? {} : { body }),
  stop: 'RBAC',
  outcome: forbidden,
  ...fields,
});
const byPolicy = (
  tries: string,
  method: Attempt['method'],
  path: string,
  body?: object,
  fields: Partial<Attempt> = {},
): Attempt => byRBAC(tries, method, path, body, { stop: 'admission policy', ...fields });
const ownOnly = { gateway: 'own' } as const;
const served = { gateway: 'served' } as const;
const notBehindGateway = { gateway: 'refused' } as const;
const shared = { settings: ['Prefixed, shared'] } as const;
const namespaced = { settings: ['Prefixed'] } as const;
const none = { settings: ['None', 'None, shared'] } as const;
const bothNamespaced = { settings: ['Namespaced', 'Namespaced, shared'] } as const;
const greedy = { settings: ['Prefixed'], with: 'greedy' } as const;
/** Objects created one by one until the quota of the namespace refuses. */
const byQuota = (tries: string, path: string, times: number, body: object): Attempt => ({
  ...greedy,
  tries,
  method: 'POST',
  path,
  times,
  body,
  stop: 'quota',
  outcome: forbidden,
});
/** Attempts that cannot be stopped; the condition `ObjectsShared` of the consumer's export reports them. */
const unstoppable = (
  tries: string,
  method: Attempt['method'],
  path: string,
  code: 200 | 201,
  settings: readonly Setting[],
  body?: object,
  resource = 'databases',
  fields: Partial<Attempt> = {},
): Attempt => ({
  tries,
  method,
  path,
  ...(body === undefined ? {} : { body }),
  ...(method === 'GET' ? ownOnly : {}),
  settings,
  stop: 'nobody',
  outcome: { kind: 'possible', codes: [code], reason: 'ObjectsShared', about: `${own}/apiserviceexports/${resource}` },
  ...fields,
});
const bare = (name: string, resource = 'databases', more: object = {}): object =>
  kubeBind('APIServiceExportRequest', name, {
    spec: { resources: [{ group: 'example.com', resource, versions: ['v1'] }], ...more },
  });
const request = (name: string, claims: readonly string[], metadata: object = {}): object =>
  kubeBind('APIServiceExportRequest', name, {
    metadata: { name, ...metadata },
    spec: {
      resources: [{ group: 'example.com', resource: 'databases', versions: ['v1'] }],
      permissionClaims: claims.map((resource) => ({ group: '', resource, selector: { labelSelector: {} } })),
    },
  });

export const attemptGroups: readonly AttemptGroup[] = [
  {
    title: 'Objects of other consumers',
    attempts: [
      byRBAC('lists the objects of all consumers', 'GET', `${databases}/databases`, undefined, ownOnly),
      byRBAC(
        'watches the objects of all consumers',
        'GET',
        `${databases}/databases?watch=true&timeoutSeconds=1`,
        undefined,
        ownOnly,
      ),
      byRBAC(
        'lists the objects of another consumer',
        'GET',
        `${databases}/namespaces/{other}-team-a/databases`,
        undefined,
        ownOnly,
      ),
      byRBAC('reads an object of another consumer', 'GET', `${databases}/namespaces/{other}-team-a/databases/orders`),
      byRBAC(
        'changes an object of another consumer',
        'PATCH',
        `${databases}/namespaces/{other}-team-a/databases/orders`,
        { spec: { size: 'large' } },
      ),
      byRBAC(
        'creates an object among those of another consumer',
        'POST',
        `${databases}/namespaces/{other}-team-a/databases`,
        database('mine'),
      ),
      byRBAC(
        'deletes an object of another consumer',
        'DELETE',
        `${databases}/namespaces/{other}-team-a/databases/orders`,
      ),
      byRBAC('deletes all objects of a namespace at once', 'DELETE', `${databases}/namespaces/{own}-team-a/databases`),
      byRBAC(
        'creates an object in `kube-system`',
        'POST',
        `${databases}/namespaces/kube-system/databases`,
        database('mine'),
      ),
      byRBAC(
        'creates an object in a cluster namespace',
        'POST',
        `${databases}/namespaces/{own}/databases`,
        database('mine'),
      ),
      byRBAC(
        "reports a status in the provider's place",
        'PATCH',
        `${databases}/namespaces/{own}-team-a/databases/orders/status`,
        { status: { phase: 'Ready' } },
      ),
      byPolicy(
        "says in an annotation that its object is another consumer's",
        'POST',
        `${databases}/namespaces/{own}-team-a/databases`,
        database('forged', { annotations: { 'kube-bind.io/cluster-namespace': '{other}' } }),
      ),
      byPolicy(
        "makes its object another consumer's afterwards",
        'PATCH',
        `${databases}/namespaces/{own}-team-a/databases/orders`,
        { metadata: { annotations: { 'kube-bind.io/cluster-namespace': '{other}' } } },
      ),
      byRBAC('lists cluster-scoped objects that it was not to share', 'GET', zones, undefined, {
        ...namespaced,
        ...served,
      }),
      byRBAC('creates a cluster-scoped object that it was not to share', 'POST', zones, zone({ name: '{own}-mine' }), {
        ...namespaced,
        ...served,
      }),
      byPolicy(
        'creates a cluster-scoped object with a name outside its prefix',
        'POST',
        zones,
        zone({ name: 'mine' }),
        shared,
      ),
      byPolicy(
        'creates a cluster-scoped object with a name of another consumer',
        'POST',
        zones,
        zone({ name: '{other}-mine' }),
        shared,
      ),
      byPolicy(
        "has the server choose a name that begins with another consumer's prefix",
        'POST',
        zones,
        zone({ generateName: '{other}-' }),
        shared,
      ),
      byPolicy(
        'creates an object named like its prefix without the dash',
        'POST',
        zones,
        zone({ name: '{own}x' }),
        shared,
      ),
      byPolicy(
        'changes a cluster-scoped object of another consumer',
        'PATCH',
        `${zones}/{other}-north`,
        { spec: { size: 'large' } },
        shared,
      ),
      byPolicy(
        'deletes a cluster-scoped object of another consumer',
        'DELETE',
        `${zones}/{other}-north`,
        undefined,
        shared,
      ),
      byPolicy(
        "takes a cluster-scoped object of its own name for another consumer's",
        'POST',
        zones,
        zone({ name: '{own}-forged', annotations: { 'kube-bind.io/cluster-namespace': '{other}' } }),
        shared,
      ),
    ],
  },
  {
    title: 'Secrets and tokens',
    attempts: [
      byRBAC('lists all Secrets of the provider', 'GET', '/api/v1/secrets'),
      byRBAC('lists the Secrets of `kube-system`', 'GET', '/api/v1/namespaces/kube-system/secrets'),
      byRBAC('lists claimed Secrets of another consumer', 'GET', '/api/v1/namespaces/{other}-team-a/secrets'),
      byRBAC('reads the kubeconfig of another consumer', 'GET', '/api/v1/namespaces/{other}/secrets/kubeconfig'),
      byRBAC("lists the answers to others' requests", 'GET', '/api/v1/namespaces/onboarding/secrets'),
      byRBAC('replaces its own kubeconfig', 'PATCH', '/api/v1/namespaces/{own}/secrets/kubeconfig', { data: null }),
      byRBAC('creates a Secret in its cluster namespace', 'POST', '/api/v1/namespaces/{own}/secrets', secret('mine')),
      byRBAC(
        'asks for a token of its own ServiceAccount',
        'POST',
        '/api/v1/namespaces/{own}/serviceaccounts/kube-binder/token',
        { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
      ),
      byRBAC(
        'asks for a token of a ServiceAccount of its service namespace',
        'POST',
        '/api/v1/namespaces/{own}-team-a/serviceaccounts/default/token',
        { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
      ),
      byPolicy(
        'has Kubernetes put a token of another ServiceAccount into a claimed Secret',
        'POST',
        '/api/v1/namespaces/{own}-team-a/secrets',
        secret('token', {
          type: 'kubernetes.io/service-account-token',
          metadata: { name: 'token', annotations: { 'kubernetes.io/service-account.name': 'default' } },
        }),
      ),
      byPolicy(
        'makes a bootstrap token',
        'POST',
        '/api/v1/namespaces/{own}-team-a/secrets',
        secret('bootstrap-token-abcdef', { type: 'bootstrap.kubernetes.io/token' }),
      ),
      byRBAC('claims ConfigMaps that its export does not', 'GET', '/api/v1/namespaces/{own}-team-a/configmaps'),
      {
        tries: 'replays a token that has been replaced',
        method: 'GET',
        path: `${own}/apiserviceexports`,
        with: 'rotated',
        settings: ['Prefixed'],
        stop: 'authentication',
        outcome: { kind: 'refused', codes: [401] },
      },
      {
        tries: 'replays a token from before it was revoked',
        method: 'GET',
        path: `${own}/apiserviceexports`,
        with: 'revoked',
        stop: 'authentication',
        outcome: { kind: 'refused', codes: [401] },
      },
    ],
  },
  {
    title: 'APIs and claims that it was not given',
    attempts: [
      byRBAC(
        'makes an export of its own',
        'POST',
        `${own}/apiserviceexports`,
        kubeBind('APIServiceExport', 'mine', {
          spec: {
            resources: [{ group: 'example.com', resource: 'zones', versions: ['v1'] }],
            informerScope: 'Cluster',
            isolation: 'None',
          },
        }),
      ),
      byRBAC('adds a claim to its export', 'PATCH', `${own}/apiserviceexports/databases`, {
        spec: { permissionClaims: [{ group: '', resource: 'serviceaccounts', selector: {} }] },
      }),
      byRBAC('deletes its export', 'DELETE', `${own}/apiserviceexports/databases`),
      byRBAC('widens the scope of a BoundSchema', 'PATCH', `${own}/boundschemas/databases.example.com`, {
        spec: { informerScope: 'Cluster', scope: 'Cluster' },
      }),
      byRBAC(
        "asks for an export in another consumer's name",
        'POST',
        `${other}/apiserviceexportrequests`,
        kubeBind('APIServiceExportRequest', 'mine', {
          spec: { resources: [{ group: 'example.com', resource: 'databases', versions: ['v1'] }] },
        }),
      ),
      byRBAC("deletes another consumer's request", 'DELETE', `${other}/apiserviceexportrequests/databases`),
      byRBAC(
        'offers a template',
        'POST',
        '/apis/kube-bind.io/v1alpha2/apiserviceexporttemplates',
        kubeBind('APIServiceExportTemplate', 'mine', {
          spec: { scope: 'Namespaced', resources: [{ group: 'example.com', resource: 'secrets', versions: ['v1'] }] },
        }),
      ),
      byRBAC(
        'asks to be onboarded again under another identity',
        'POST',
        '/apis/kube-bind.io/v1alpha2/namespaces/onboarding/bindableresourcesrequests',
        kubeBind('BindableResourcesRequest', 'mine', { spec: {} }),
      ),
      byRBAC('changes its ClusterBinding', 'PATCH', `${own}/clusterbindings/cluster`, {
        spec: { kubeconfigSecretRef: { name: 'kube-binder', key: 'token' } },
      }),
      {
        tries: 'asks for an API that no template offers',
        method: 'POST',
        path: `${own}/apiserviceexportrequests`,
        stop: 'provider role',
        body: kubeBind('APIServiceExportRequest', 'vaults', {
          spec: { resources: [{ group: 'example.com', resource: 'vaults', versions: ['v1'] }] },
        }),
        outcome: {
          kind: 'told',
          reason: 'NotOffered',
          about: `${own}/apiserviceexportrequests/vaults`,
          absent: `${own}/apiserviceexports/vaults`,
        },
      },
      {
        tries: 'asks for a claim that no template offers',
        method: 'POST',
        path: `${own}/apiserviceexportrequests`,
        stop: 'provider role',
        body: kubeBind('APIServiceExportRequest', 'greedy', {
          spec: {
            resources: [{ group: 'example.com', resource: 'databases', versions: ['v1'] }],
            permissionClaims: [{ group: '', resource: 'serviceaccounts', selector: {} }],
          },
        }),
        outcome: {
          kind: 'told',
          reason: 'ExceedsTemplate',
          about: `${own}/apiserviceexportrequests/greedy`,
          absent: `${own}/apiserviceexports/greedy`,
        },
      },
      {
        tries: 'asks again for a claim that its template no longer offers',
        method: 'POST',
        path: `${own}/apiserviceexportrequests`,
        stop: 'provider role',
        body: request('wider', ['secrets', 'configmaps']),
        outcome: {
          kind: 'told',
          reason: 'ExceedsTemplate',
          about: `${own}/apiserviceexportrequests/wider`,
          absent: `${own}/apiserviceexports/wider`,
        },
      },
      {
        ...byRBAC(
          'adds a claim to its request after that was answered',
          'PATCH',
          `${own}/apiserviceexportrequests/databases`,
          { spec: { permissionClaims: [{ group: '', resource: 'configmaps', selector: { labelSelector: {} } }] } },
        ),
        stop: 'API server',
        outcome: { kind: 'refused', codes: [422] },
      },
      {
        tries: 'asks in an annotation for every change of the schema',
        method: 'POST',
        path: `${own}/apiserviceexportrequests`,
        stop: 'provider role',
        body: request('lax', ['secrets'], { annotations: { 'hawser.dev/schema-update': 'Always' } }),
        outcome: { kind: 'ineffective', path: `${own}/apiserviceexports/lax`, words: ['"Always"'] },
      },
      {
        tries: 'adds a claim to a request that had none, after it was answered',
        method: 'PATCH',
        path: `${own}/apiserviceexportrequests/bare`,
        stop: 'API server',
        body: { spec: { permissionClaims: [{ group: '', resource: 'configmaps', selector: { labelSelector: {} } }] } },
        first: [{ method: 'POST', path: `${own}/apiserviceexportrequests`, body: bare('bare') }],
        outcome: { kind: 'refused', codes: [422] },
      },
      {
        tries: 'adds namespaces to its request after it was answered',
        method: 'PATCH',
        path: `${own}/apiserviceexportrequests/databases`,
        stop: 'API server',
        body: { spec: { namespaces: [{ name: 'team-late' }] } },
        outcome: { kind: 'refused', codes: [422] },
      },
      {
        tries: 'recreates an answered request under the same name, for an API that no template offers',
        method: 'POST',
        path: `${own}/apiserviceexportrequests`,
        stop: 'provider role',
        body: bare('swapped', 'vaults'),
        first: [
          { method: 'POST', path: `${own}/apiserviceexportrequests`, body: bare('swapped') },
          { method: 'DELETE', path: `${own}/apiserviceexportrequests/swapped` },
        ],
        outcome: {
          kind: 'told',
          reason: 'NotOffered',
          about: `${own}/apiserviceexportrequests/swapped`,
          absent: `${own}/boundschemas/vaults.example.com`,
        },
      },
      {
        tries: 'recreates an answered request, to get every change of the schema',
        method: 'POST',
        path: `${own}/apiserviceexportrequests`,
        stop: 'provider role',
        body: bare('laxer', 'databases', { schemaUpdatePolicy: 'Always' }),
        first: [
          { method: 'POST', path: `${own}/apiserviceexportrequests`, body: bare('laxer') },
          { method: 'DELETE', path: `${own}/apiserviceexportrequests/laxer` },
        ],
        outcome: { kind: 'ineffective', path: `${own}/apiserviceexports/laxer`, words: ['"Always"'] },
      },
      byRBAC(
        'keeps using an API after its export is gone',
        'GET',
        `${databases}/namespaces/{own}-team-a/databases`,
        undefined,
        { with: 'unbound' },
      ),
      byRBAC(
        'keeps reading claimed Secrets after the export is gone',
        'GET',
        '/api/v1/namespaces/{own}-team-a/secrets',
        undefined,
        { with: 'unbound' },
      ),
    ],
  },
  {
    title: 'Namespaces',
    attempts: [
      byRBAC('deletes its service namespace, with the objects in it', 'DELETE', '/api/v1/namespaces/{own}-team-a'),
      byRBAC('deletes its cluster namespace', 'DELETE', '/api/v1/namespaces/{own}'),
      byRBAC("deletes another consumer's service namespace", 'DELETE', '/api/v1/namespaces/{other}-team-a'),
      byRBAC('creates a namespace', 'POST', '/api/v1/namespaces', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: '{own}-mine' },
      }),
      byRBAC('marks a namespace as its own', 'PATCH', '/api/v1/namespaces/{own}', {
        metadata: { annotations: { 'hawser.dev/shared-namespace': 'true' } },
      }),
      byRBAC('assigns itself `kube-system`', 'PATCH', `${own}/apiservicenamespaces/team-a/status`, {
        status: { namespace: 'kube-system' },
      }),
      byRBAC('changes an APIServiceNamespace', 'PATCH', `${own}/apiservicenamespaces/team-a`, {
        metadata: { labels: { 'kube-bind.io/owner': 'provider' } },
      }),
      byPolicy(
        'puts a finalizer on an APIServiceNamespace, to block its own deletion',
        'POST',
        `${own}/apiservicenamespaces`,
        kubeBind('APIServiceNamespace', 'held', { metadata: { name: 'held', finalizers: ['example.com/hold'] } }),
      ),
      byPolicy(
        'puts a finalizer on its request, to block its own deletion',
        'PATCH',
        `${own}/apiserviceexportrequests/databases`,
        { metadata: { finalizers: ['example.com/hold'] } },
      ),
      byPolicy(
        'puts a finalizer on its copy, to block the deletion of its namespace',
        'PATCH',
        `${databases}/namespaces/{own}-team-a/databases/orders`,
        { metadata: { finalizers: ['example.com/hold'] } },
      ),
      byRBAC("gives back another consumer's namespace", 'DELETE', `${other}/apiservicenamespaces/team-a`),
      {
        tries: 'creates an APIServiceNamespace that has a namespace already',
        method: 'POST',
        path: `${own}/apiservicenamespaces`,
        stop: 'API server',
        body: kubeBind('APIServiceNamespace', 'sly', { status: { namespace: 'kube-system' } }),
        outcome: { kind: 'ineffective', path: `${own}/apiservicenamespaces/sly`, words: ['kube-system'] },
      },
      {
        tries: "asks for a namespace whose name on the provider would be another owner's",
        method: 'POST',
        path: `${own}/apiservicenamespaces`,
        stop: 'provider role',
        body: kubeBind('APIServiceNamespace', 'foreign'),
        outcome: {
          kind: 'told',
          reason: 'NamespaceConflict',
          about: `${own}/apiservicenamespaces/foreign`,
          absent: `${rbac}/namespaces/{own}-foreign/rolebindings/kube-binder:{own}:objects:databases.example.com`,
        },
      },
      {
        tries: 'asks for a namespace of another consumer whose name begins with its own name',
        method: 'POST',
        path: `${own}/apiservicenamespaces`,
        stop: 'provider role',
        body: kubeBind('APIServiceNamespace', 'x-team-a'),
        outcome: {
          kind: 'told',
          reason: 'NamespaceConflict',
          about: `${own}/apiservicenamespaces/x-team-a`,
          absent: `${rbac}/namespaces/{own}-x-team-a/rolebindings/kube-binder:{own}:objects:databases.example.com`,
        },
      },
      {
        tries: 'asks for a namespace whose name is too long with its prefix',
        method: 'POST',
        path: `${own}/apiservicenamespaces`,
        stop: 'provider role',
        body: kubeBind('APIServiceNamespace', 'n'.repeat(60)),
        outcome: {
          kind: 'told',
          reason: 'NamespaceNameTooLong',
          about: `${own}/apiservicenamespaces/${'n'.repeat(60)}`,
          absent: `/api/v1/namespaces/{own}-${'n'.repeat(60)}`,
        },
      },
      {
        tries: 'gives back its namespace, to have the objects in it deleted',
        method: 'DELETE',
        path: `${own}/apiservicenamespaces/team-b`,
        stop: 'provider role',
        outcome: {
          kind: 'ineffective',
          path: '/api/v1/namespaces/{own}-team-b',
          words: ['deletionTimestamp', '"code":404'],
        },
      },
    ],
  },
  {
    title: 'More rights',
    attempts: [
      byRBAC(
        'binds itself to `cluster-admin`',
        'POST',
        `${rbac}/clusterrolebindings`,
        binding('ClusterRoleBinding', 'cluster-admin'),
      ),
      byRBAC(
        'binds itself to `admin` in its service namespace',
        'POST',
        `${rbac}/namespaces/{own}-team-a/rolebindings`,
        binding('RoleBinding', 'admin'),
      ),
      byRBAC(
        "puts itself into another consumer's binding",
        'PATCH',
        `${rbac}/namespaces/{other}-team-a/rolebindings/kube-binder:{other}:objects:databases.example.com`,
        { subjects: [] },
      ),
      byRBAC('changes the ClusterRole of all consumers', 'PATCH', `${rbac}/clusterroles/kube-binder`, { rules: [] }),
      byRBAC(
        'removes the admission policy',
        'DELETE',
        '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/hawser-consumers',
      ),
      byRBAC(
        'changes the CRD of a bound API',
        'PATCH',
        '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/databases.example.com',
        { metadata: { labels: { mine: 'yes' } } },
      ),
      byRBAC('runs a pod in its service namespace', 'POST', '/api/v1/namespaces/{own}-team-a/pods', {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'mine' },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      }),
      byRBAC("writes Events in the provider's name", 'POST', '/api/v1/namespaces/{own}/events', {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'mine' },
        involvedObject: { namespace: '{own}' },
      }),
      byPolicy(
        'writes in the name of a Go backend, to make it look as if one runs',
        'PATCH',
        `${own}/apiserviceexports/databases/status?fieldManager=backend`,
        {
          status: {
            conditions: [{ type: 'ObjectsInSync', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
          },
        },
      ),
      byPolicy(
        "says with marks of another dialect that its object is another consumer's",
        'POST',
        `${databases}/namespaces/{own}-team-a/databases`,
        database('forged', { annotations: { 'klutch.anynines.com/cluster-namespace': '{other}' } }),
      ),
      byRBAC(
        'asks in another dialect',
        'POST',
        '/apis/klutch.anynines.com/v1alpha1/namespaces/{own}/apiserviceexportrequests',
        {
          apiVersion: 'klutch.anynines.com/v1alpha1',
          kind: 'APIServiceExportRequest',
          metadata: { name: 'databases' },
          spec: {},
        },
      ),
      {
        tries: 'puts annotations on its export through the status',
        method: 'PATCH',
        path: `${own}/apiserviceexports/databases/status`,
        stop: 'API server',
        body: { metadata: { annotations: { 'hawser.dev/schema-update': 'Always' }, labels: { forged: 'yes' } } },
        outcome: {
          kind: 'ineffective',
          path: `${own}/apiserviceexports/databases`,
          words: ['hawser.dev/schema-update', 'forged'],
        },
      },
      {
        tries: 'says in a status that it has rights',
        method: 'PATCH',
        path: `${own}/apiserviceexports/zones/status`,
        stop: 'provider role',
        settings: ['Prefixed'],
        ...served,
        body: {
          status: {
            conditions: [{ type: 'RightsGranted', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
          },
        },
        outcome: { kind: 'ineffective', path: `${rbac}/clusterrolebindings`, words: ['kube-binder:{own}:'] },
      },
      {
        tries: 'says in the status of a BoundSchema that it is cluster-scoped',
        method: 'PATCH',
        path: `${own}/boundschemas/databases.example.com/status`,
        stop: 'API server',
        body: { spec: { scope: 'Cluster' }, status: { acceptedNames: { plural: 'secrets', kind: 'Secret' } } },
        outcome: {
          kind: 'ineffective',
          path: `${rbac}/clusterrolebindings`,
          words: ['kube-binder:{own}:objects:databases.example.com', 'secrets'],
        },
      },
    ],
  },
  {
    title: 'More than its share',
    attempts: [
      {
        ...greedy,
        tries: 'asks for more namespaces than it may have',
        method: 'POST',
        path: `${own}/apiservicenamespaces`,
        times: 40,
        stop: 'provider role',
        body: kubeBind('APIServiceNamespace', 'many-{n}'),
        outcome: {
          kind: 'told',
          reason: 'TooManyNamespaces',
          about: `${own}/apiservicenamespaces/many-39`,
          absent: '/api/v1/namespaces/{own}-many-39',
        },
      },
      byQuota(
        'asks for namespaces by the thousand',
        `${own}/apiservicenamespaces`,
        60,
        kubeBind('APIServiceNamespace', 'thousand-{n}'),
      ),
      {
        ...greedy,
        tries: 'asks for more exports than it may have',
        method: 'POST',
        path: `${own}/apiserviceexportrequests`,
        times: 12,
        stop: 'provider role',
        body: request('many-{n}', []),
        outcome: {
          kind: 'told',
          reason: 'TooManyExports',
          about: `${own}/apiserviceexportrequests/many-11`,
          absent: `${own}/apiserviceexports/many-11`,
        },
      },
      byQuota('makes requests by the thousand', `${own}/apiserviceexportrequests`, 60, request('thousand-{n}', [])),
      {
        ...byRBAC(
          'makes an object of two megabytes',
          'POST',
          `${databases}/namespaces/{own}-team-a/databases`,
          { ...database('huge'), spec: { size: 'small', notes: 'x'.repeat(2_097_152) } },
          greedy,
        ),
        stop: 'API server',
        outcome: { kind: 'refused', codes: [413, 500] },
      },
      byQuota(
        'makes objects by the thousand',
        `${databases}/namespaces/{own}-team-a/databases`,
        30,
        database('thousand-{n}'),
      ),
      byQuota('makes Secrets by the thousand', '/api/v1/namespaces/{own}-team-a/secrets', 30, secret('thousand-{n}')),
      byRBAC(
        'raises its quota',
        'PATCH',
        '/api/v1/namespaces/{own}-team-a/resourcequotas/hawser',
        { spec: { hard: { 'count/secrets': '1000' } } },
        greedy,
      ),
      byRBAC('removes its quota', 'DELETE', '/api/v1/namespaces/{own}/resourcequotas/hawser', undefined, greedy),
      byPolicy(
        'makes a request of 1.3 MB, to make lists of requests too long to read',
        'POST',
        `${own}/apiserviceexportrequests`,
        bare('huge', 'databases', { parameters: { text: 'x'.repeat(1_300_000) } }),
      ),
      byPolicy(
        'makes an APIServiceNamespace with 200 KB of annotations',
        'POST',
        `${own}/apiservicenamespaces`,
        kubeBind('APIServiceNamespace', 'huge', {
          metadata: { name: 'huge', annotations: { text: 'x'.repeat(200_000) } },
        }),
      ),
      byPolicy(
        'asks for 1001 namespaces in one request',
        'POST',
        `${own}/apiserviceexportrequests`,
        bare('wide', 'databases', { namespaces: Array.from({ length: 1_001 }, (_, at) => ({ name: `n-${at}` })) }),
      ),
      byPolicy(
        'fills the status of its ClusterBinding until the annotation that revokes it does not fit',
        'PATCH',
        `${own}/clusterbindings/cluster/status`,
        { status: { konnectorVersion: 'x'.repeat(1_300_000) } },
      ),
      byPolicy('fills the conditions of its export', 'PATCH', `${own}/apiserviceexports/databases/status`, {
        status: {
          conditions: Array.from({ length: 60 }, (_, at) => ({
            type: `T${at}`,
            status: 'True',
            message: 'x'.repeat(20_000),
            lastTransitionTime: '2026-01-01T00:00:00Z',
          })),
        },
      }),
      byRBAC(
        'has others onboarded by the thousand, by requests in its own namespace',
        'POST',
        `${own}/bindableresourcesrequests`,
        kubeBind('BindableResourcesRequest', 'mine', { spec: {} }),
      ),
    ],
  },
  {
    title: 'Isolation None: shared names',
    attempts: [
      unstoppable(
        'reads the objects of another consumer in a namespace of the same name',
        'GET',
        `${databases}/namespaces/team-a/databases`,
        200,
        none.settings,
      ),
      byPolicy(
        'changes an object of another consumer',
        'PATCH',
        `${databases}/namespaces/team-a/databases/{other}-orders`,
        { spec: { size: 'large' } },
        none,
      ),
      byPolicy(
        'deletes an object of another consumer',
        'DELETE',
        `${databases}/namespaces/team-a/databases/{other}-orders`,
        undefined,
        none,
      ),
      byPolicy(
        'takes an object of another consumer for its own',
        'PATCH',
        `${databases}/namespaces/team-a/databases/{other}-orders`,
        { metadata: { annotations: { 'kube-bind.io/cluster-namespace': '{own}' } } },
        none,
      ),
      byPolicy(
        "removes the mark of an object's owner",
        'PATCH',
        `${databases}/namespaces/team-a/databases/{other}-orders`,
        { metadata: { annotations: { 'kube-bind.io/cluster-namespace': null } } },
        none,
      ),
      unstoppable(
        'takes a name that another consumer may want',
        'POST',
        `${databases}/namespaces/team-a/databases`,
        201,
        none.settings,
        database('wanted', { annotations: { 'kube-bind.io/cluster-namespace': '{own}' } }),
      ),
      unstoppable(
        'reads claimed Secrets of another consumer in a namespace of the same name',
        'GET',
        '/api/v1/namespaces/team-a/secrets',
        200,
        none.settings,
        undefined,
        'databases',
        notBehindGateway,
      ),
      unstoppable(
        'changes a claimed Secret of another consumer there',
        'PATCH',
        '/api/v1/namespaces/team-a/secrets/password',
        200,
        none.settings,
        { data: { a: 'YQ==' } },
        'databases',
        notBehindGateway,
      ),
      byRBAC(
        'reads objects in a namespace that it does not have',
        'GET',
        `${databases}/namespaces/only-b/databases`,
        undefined,
        { ...none, ...ownOnly },
      ),
      {
        tries: 'asks for a namespace by the name that another consumer has',
        method: 'POST',
        path: `${own}/apiservicenamespaces`,
        settings: none.settings,
        stop: 'nobody',
        body: kubeBind('APIServiceNamespace', 'also-b'),
        outcome: {
          kind: 'possible',
          codes: [201],
          reason: 'NamespaceShared',
          about: `${own}/apiservicenamespaces/also-b`,
        },
      },
      {
        tries: 'asks for `kube-system`',
        method: 'POST',
        path: `${own}/apiservicenamespaces`,
        settings: none.settings,
        stop: 'provider role',
        body: kubeBind('APIServiceNamespace', 'kube-system'),
        outcome: {
          kind: 'told',
          reason: 'NamespaceReserved',
          about: `${own}/apiservicenamespaces/kube-system`,
          absent: `${rbac}/namespaces/kube-system/rolebindings/kube-binder:{own}:objects:databases.example.com`,
        },
      },
      {
        tries: 'asks for the cluster namespace of another consumer',
        method: 'POST',
        path: `${own}/apiservicenamespaces`,
        settings: none.settings,
        stop: 'provider role',
        body: kubeBind('APIServiceNamespace', '{other}'),
        outcome: {
          kind: 'told',
          reason: 'NamespaceReserved',
          about: `${own}/apiservicenamespaces/{other}`,
          absent: `${rbac}/namespaces/{other}/rolebindings/kube-binder:{own}:claims:secrets.core`,
        },
      },
      {
        tries: 'asks for a namespace of the provider',
        method: 'POST',
        path: `${own}/apiservicenamespaces`,
        settings: none.settings,
        stop: 'provider role',
        body: kubeBind('APIServiceNamespace', 'hawser'),
        outcome: {
          kind: 'told',
          reason: 'NamespaceReserved',
          about: `${own}/apiservicenamespaces/hawser`,
          absent: `${rbac}/namespaces/hawser/rolebindings/kube-binder:{own}:claims:secrets.core`,
        },
      },
      ...['kube-vault', 'klutch-bind-apps-shop', 'hawser-system'].map((name): Attempt => ({
        tries: `asks for \`${name}\` before the provider has it`,
        method: 'POST',
        path: `${own}/apiservicenamespaces`,
        settings: none.settings,
        stop: 'provider role',
        body: kubeBind('APIServiceNamespace', name),
        outcome: {
          kind: 'told',
          reason: 'NamespaceReserved',
          about: `${own}/apiservicenamespaces/${name}`,
          absent: `/api/v1/namespaces/${name}`,
        },
      })),
      byPolicy(
        'changes an object of the provider, which has no mark',
        'PATCH',
        `${databases}/namespaces/team-a/databases/of-the-provider`,
        { spec: { size: 'large' } },
        none,
      ),
      byPolicy(
        'deletes an object of the provider, which has no mark',
        'DELETE',
        `${databases}/namespaces/team-a/databases/of-the-provider`,
        undefined,
        none,
      ),
      byPolicy(
        'changes a copy of a consumer that speaks another dialect',
        'PATCH',
        `${databases}/namespaces/team-a/databases/of-klutch`,
        { spec: { size: 'large' } },
        none,
      ),
      byPolicy(
        'deletes a copy of a consumer that speaks another dialect',
        'DELETE',
        `${databases}/namespaces/team-a/databases/of-klutch`,
        undefined,
        none,
      ),
      byRBAC('lists cluster-scoped objects that it was not to share', 'GET', zones, undefined, {
        settings: ['None'],
        ...served,
      }),
      byRBAC('creates a cluster-scoped object that it was not to share', 'POST', zones, zone({ name: 'mine' }), {
        settings: ['None'],
        ...served,
      }),
      unstoppable(
        'lists cluster-scoped objects of all consumers',
        'GET',
        zones,
        200,
        ['None, shared'],
        undefined,
        'zones',
      ),
      unstoppable(
        'takes a cluster-scoped name that another consumer may want',
        'POST',
        zones,
        201,
        ['None, shared'],
        zone({ name: 'wanted' }),
        'zones',
      ),
      byPolicy(
        'changes a cluster-scoped object of another consumer',
        'PATCH',
        `${zones}/{other}-north`,
        { spec: { size: 'large' } },
        { settings: ['None, shared'] },
      ),
      byPolicy('deletes a cluster-scoped object of another consumer', 'DELETE', `${zones}/{other}-north`, undefined, {
        settings: ['None, shared'],
      }),
    ],
  },
  {
    title: 'Isolation Namespaced: copies in cluster namespaces',
    attempts: [
      byRBAC('lists the objects of all consumers', 'GET', `${databases}/databases`, undefined, {
        settings: ['Namespaced'],
        ...served,
      }),
      byRBAC(
        'creates an object in its cluster namespace that it was not to share',
        'POST',
        `${databases}/namespaces/{own}/databases`,
        database('mine'),
        { settings: ['Namespaced'], ...served },
      ),
      unstoppable('lists the objects of all consumers', 'GET', `${databases}/databases`, 200, ['Namespaced, shared']),
      unstoppable('lists the objects of another consumer', 'GET', `${databases}/namespaces/{other}/databases`, 200, [
        'Namespaced, shared',
      ]),
      byRBAC(
        'changes an object of another consumer',
        'PATCH',
        `${databases}/namespaces/{other}/databases/{other}-orders`,
        { spec: { size: 'large' } },
        bothNamespaced,
      ),
      byRBAC(
        'deletes an object of another consumer',
        'DELETE',
        `${databases}/namespaces/{other}/databases/{other}-orders`,
        undefined,
        bothNamespaced,
      ),
      byRBAC(
        'creates an object among those of another consumer',
        'POST',
        `${databases}/namespaces/{other}/databases`,
        database('mine'),
        bothNamespaced,
      ),
      byRBAC(
        'creates an object in `kube-system`',
        'POST',
        `${databases}/namespaces/kube-system/databases`,
        database('mine'),
        bothNamespaced,
      ),
      byPolicy(
        "makes its object another consumer's",
        'PATCH',
        `${databases}/namespaces/{own}/databases/{own}-orders`,
        { metadata: { annotations: { 'kube-bind.io/cluster-namespace': '{other}' } } },
        { settings: ['Namespaced, shared'] },
      ),
      byRBAC(
        'reads claimed Secrets of another consumer',
        'GET',
        '/api/v1/namespaces/{other}-team-a/secrets',
        undefined,
        bothNamespaced,
      ),
      byRBAC(
        'replaces its own kubeconfig beside its copies',
        'PATCH',
        '/api/v1/namespaces/{own}/secrets/kubeconfig',
        { data: null },
        bothNamespaced,
      ),
    ],
  },
];

/** Under isolation Namespaced an API that is not shared cannot be used. */
const used: readonly Setting[] = ['Prefixed', 'Prefixed, shared', 'None', 'None, shared', 'Namespaced, shared'];

/**
 * Requests that the konnectors need (`spec/konnector.md §14.2`), Hawser's and the Go one: they must keep working
 * whatever others try. In this order. `{copies}`: namespace of the consumer's copies; `{team}`: its service namespace.
 */
export const needed: readonly (Attempted & { readonly settings?: readonly Setting[] })[] = [
  { method: 'GET', path: '/api/v1/namespaces/{own}' },
  { method: 'GET', path: '/api/v1/namespaces/{own}/secrets' },
  { method: 'GET', path: '/api/v1/namespaces/{own}/secrets?watch=true&timeoutSeconds=1' },
  { method: 'GET', path: `${own}/clusterbindings` },
  { method: 'PATCH', path: `${own}/clusterbindings/cluster/status`, body: { status: { konnectorVersion: 'v1.2.3' } } },
  { method: 'GET', path: `${own}/apiserviceexports?watch=true&timeoutSeconds=1` },
  { method: 'GET', path: `${own}/apiserviceexportrequests` },
  { method: 'PATCH', path: `${own}/apiserviceexports/databases/status`, body: { status: { conditions: [] } } },
  { method: 'GET', path: `${own}/boundschemas/databases.example.com` },
  {
    method: 'PATCH',
    path: `${own}/boundschemas/databases.example.com/status`,
    body: { status: { storedVersions: ['v1'] } },
  },
  { method: 'GET', path: `${own}/apiservicenamespaces?watch=true&timeoutSeconds=1` },
  { method: 'POST', path: `${own}/apiservicenamespaces`, body: kubeBind('APIServiceNamespace', 'extra') },
  { method: 'DELETE', path: `${own}/apiservicenamespaces/extra` },
  { method: 'GET', path: `${databases}/namespaces/{copies}/databases`, settings: used },
  { method: 'GET', path: `${databases}/namespaces/{copies}/databases?watch=true&timeoutSeconds=1`, settings: used },
  {
    method: 'POST',
    path: `${databases}/namespaces/{copies}/databases`,
    body: database('needed', { annotations: { 'kube-bind.io/cluster-namespace': '{own}' } }),
    settings: used,
  },
  {
    method: 'PATCH',
    path: `${databases}/namespaces/{copies}/databases/needed`,
    body: { spec: { size: 'large' } },
    settings: used,
  },
  { method: 'DELETE', path: `${databases}/namespaces/{copies}/databases/needed`, settings: used },
  { method: 'GET', path: '/api/v1/namespaces/{team}/secrets?watch=true&timeoutSeconds=1' },
  {
    method: 'POST',
    path: '/api/v1/namespaces/{team}/secrets',
    body: secret('needed', { metadata: { name: 'needed', labels: { 'kube-bind.io/owner': 'consumer' } } }),
  },
  { method: 'PUT', path: '/api/v1/namespaces/{team}/secrets/needed', body: secret('needed', { data: { a: 'YQ==' } }) },
  { method: 'PATCH', path: '/api/v1/namespaces/{team}/secrets/needed', body: { data: { b: 'YQ==' } } },
  { method: 'DELETE', path: '/api/v1/namespaces/{team}/secrets/needed' },
  {
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { verb: 'get', resource: 'secrets' } },
    },
  },
  { method: 'GET', path: zones, settings: ['Prefixed, shared', 'None, shared'] },
  { method: 'GET', path: `${zones}?watch=true&timeoutSeconds=1`, settings: ['Prefixed, shared', 'None, shared'] },
  {
    method: 'POST',
    path: zones,
    body: zone({ name: '{own}-needed', annotations: { 'kube-bind.io/cluster-namespace': '{own}' } }),
    settings: ['Prefixed, shared', 'None, shared'],
  },
  {
    method: 'PATCH',
    path: `${zones}/{own}-needed`,
    body: { spec: { size: 'large' } },
    settings: ['Prefixed, shared', 'None, shared'],
  },
  { method: 'DELETE', path: `${zones}/{own}-needed`, settings: ['Prefixed, shared', 'None, shared'] },
];
