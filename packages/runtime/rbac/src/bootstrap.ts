import { aggregateRules } from './aggregation.js';
import { type AggregationRule, type Binding, type PolicyRule, rbacApiGroup, type Role } from './policy-rule.js';

const words = (text: string): string[] => text.split(' ');
const on = (verbs: string, groups: string, resources: string): PolicyRule => ({
  apiGroups: words(groups).map((group) => (group === 'core' ? '' : group)),
  resources: words(resources),
  verbs: words(verbs),
});
const url = (verbs: string, paths: string): PolicyRule => ({ nonResourceURLs: words(paths), verbs: words(verbs) });

const read = 'get list watch';
const write = 'create delete deletecollection patch update';
const all = 'create delete deletecollection get list patch update watch';
type Labels = Readonly<Record<string, string>>;

const aggregatesTo = (name: string): Labels => ({ [`rbac.authorization.k8s.io/aggregate-to-${name}`]: 'true' });
const gathers = (name: string): AggregationRule => ({ clusterRoleSelectors: [{ matchLabels: aggregatesTo(name) }] });

const workloads = 'daemonsets deployments deployments/rollback deployments/scale';

const editRules = [
  on(read, 'core', 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy'),
  on('impersonate', 'core', 'serviceaccounts'),
  on(write, 'core', 'pods pods/attach pods/exec pods/portforward pods/proxy'),
  on('create', 'core', 'pods/eviction'),
  on(
    write,
    'core',
    'configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
  ),
  on('create', 'core', 'serviceaccounts/token'),
  on(write, 'core events.k8s.io', 'events'),
  on(write, 'apps', `${workloads} replicasets replicasets/scale statefulsets statefulsets/scale`),
  on(write, 'autoscaling', 'horizontalpodautoscalers'),
  on(write, 'batch', 'cronjobs jobs'),
  on(
    write,
    'extensions',
    `${workloads} ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale`,
  ),
  on(write, 'policy', 'poddisruptionbudgets'),
  on(write, 'networking.k8s.io', 'ingresses networkpolicies'),
  on(all, 'coordination.k8s.io', 'leases'),
  on(write, 'resource.k8s.io', 'resourceclaims resourceclaimtemplates'),
];

const viewRules = [
  on(
    read,
    'core',
    'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
  ),
  on(
    read,
    'core',
    'bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
  ),
  on(read, 'core', 'namespaces'),
  on(read, 'core events.k8s.io', 'events'),
  on(read, 'discovery.k8s.io', 'endpointslices'),
  on(
    read,
    'apps',
    'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
  ),
  on(read, 'autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status'),
  on(read, 'batch', 'cronjobs cronjobs/status jobs jobs/status'),
  on(
    read,
    'extensions',
    'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale',
  ),
  on(read, 'policy', 'poddisruptionbudgets poddisruptionbudgets/status'),
  on(read, 'networking.k8s.io', 'ingresses ingresses/status networkpolicies'),
  on(read, 'resource.k8s.io', 'resourceclaims resourceclaims/status resourceclaimtemplates'),
];

const adminRules = [
  on('create', 'authorization.k8s.io', 'localsubjectaccessreviews'),
  on(all, 'rbac.authorization.k8s.io', 'rolebindings roles'),
];

interface BootstrapRole {
  readonly name: string;
  readonly rules: readonly PolicyRule[];
  readonly labels?: Labels;
  readonly aggregationRule?: AggregationRule;
  /** Groups that a ClusterRoleBinding of the same name gives it to. */
  readonly groups?: readonly string[];
}

const bootstrapRoles: readonly BootstrapRole[] = [
  { name: 'cluster-admin', rules: [on('*', '*', '*'), url('*', '*')], groups: ['system:masters'] },
  {
    name: 'system:discovery',
    rules: [url('get', '/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/')],
    groups: ['system:authenticated'],
  },
  {
    name: 'system:monitoring',
    groups: ['system:monitoring'],
    rules: [
      url('get', '/flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/* /statusz'),
      on('get', 'core', 'nodes/metrics'),
    ],
  },
  {
    name: 'system:basic-user',
    groups: ['system:authenticated'],
    rules: [
      on('create', 'authorization.k8s.io', 'selfsubjectaccessreviews selfsubjectrulesreviews'),
      on('create', 'authentication.k8s.io', 'selfsubjectreviews'),
    ],
  },
  {
    name: 'system:public-info-viewer',
    rules: [url('get', '/healthz /livez /readyz /version /version/')],
    groups: ['system:authenticated', 'system:unauthenticated'],
  },
  {
    name: 'system:service-account-issuer-discovery',
    groups: ['system:serviceaccounts'],
    rules: [
      url(
        'get',
        '/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/',
      ),
    ],
  },
  {
    name: 'system:auth-delegator',
    rules: [
      on('create', 'authentication.k8s.io', 'tokenreviews'),
      on('create', 'authorization.k8s.io', 'subjectaccessreviews'),
    ],
  },
  { name: 'admin', rules: [], aggregationRule: gathers('admin') },
  { name: 'edit', rules: [], aggregationRule: gathers('edit'), labels: aggregatesTo('admin') },
  { name: 'view', rules: [], aggregationRule: gathers('view'), labels: aggregatesTo('edit') },
  { name: 'system:aggregate-to-admin', rules: adminRules, labels: aggregatesTo('admin') },
  { name: 'system:aggregate-to-edit', rules: editRules, labels: aggregatesTo('edit') },
  { name: 'system:aggregate-to-view', rules: viewRules, labels: aggregatesTo('view') },
];

const metadataOf = (name: string, labels: Labels = {}): Role['metadata'] & { readonly annotations: Labels } => ({
  name,
  labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
  annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
});

const roleOf = ({ name, rules, labels, aggregationRule }: BootstrapRole): Role => ({
  metadata: metadataOf(name, labels),
  ...(aggregationRule === undefined ? {} : { aggregationRule }),
  rules,
});

const gather = (roles: readonly Role[]): readonly Role[] =>
  roles.map((role) =>
    role.aggregationRule === undefined || role.aggregationRule === null
      ? role
      : { ...role, rules: aggregateRules(role.metadata.name, role.aggregationRule, roles) },
  );

/**
 * The ClusterRoles for users that every Kubernetes 1.36 cluster has, without those of nodes and single controllers
 * (kubernetes `bootstrappolicy`). `admin`, `edit` and `view` have their aggregated rules.
 */
// `admin` aggregates `edit`, and `edit` aggregates `view`: after three rounds all are complete.
export const bootstrapClusterRoles: readonly Role[] = gather(gather(gather(bootstrapRoles.map(roleOf))));

/** The ClusterRoleBindings that give them to groups. */
export const bootstrapClusterRoleBindings: readonly Binding[] = bootstrapRoles.flatMap(({ name, groups }) =>
  groups === undefined
    ? []
    : [
        {
          metadata: metadataOf(name),
          roleRef: { apiGroup: rbacApiGroup, kind: 'ClusterRole', name },
          subjects: groups.map((group) => ({ apiGroup: rbacApiGroup, kind: 'Group', name: group })),
        },
      ],
);
