import type { DefinitionSpec } from '../definition.js';
import type { ChangeKind } from '../classification.js';
import { type KindName, type Node, kinds } from './kinds.js';

/** Keywords to set; `undefined` removes one. `null` instead of all: removes the field. */
type Patch = Node | null;
type Row = readonly [kind: KindName, what: string, path: string, patch: Patch, expected: readonly ChangeKind[]];
type VersionRow = readonly [
  kind: KindName,
  what: string,
  change: (spec: Spec) => Spec,
  expected: readonly ChangeKind[],
];

export interface Pair {
  readonly title: string;
  readonly before: Spec;
  readonly after: Spec;
  readonly expected: readonly ChangeKind[];
}

interface Version {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly schema: { readonly openAPIV3Schema: Node };
  readonly [more: string]: unknown;
}
export interface Spec extends DefinitionSpec {
  readonly names: DefinitionSpec['names'] & Node;
  readonly versions: readonly Version[];
  readonly [more: string]: unknown;
}

const none = undefined;

/** Changes at `spec.<path>`, as in operators' releases. `[]`: the items of a list; `{}`: the values of a map. */
const rows: readonly Row[] = [
  ['Certificate', 'a further subject field', 'organization', { type: 'string' }, ['property-added']],
  ['Certificate', 'documentation', 'secretName', { description: 'Where the key pair goes.' }, []],
  ['Certificate', 'the name of a Secret has a length', 'secretName', { maxLength: 253 }, ['bounds-narrowed']],
  ['Certificate', 'an empty Secret name', 'secretName', { minLength: none }, ['bounds-relaxed']],
  ['Certificate', 'longer DNS names', 'dnsNames[]', { maxLength: 512 }, ['bounds-relaxed']],
  ['Certificate', 'DNS names are a set', 'dnsNames', { 'x-kubernetes-list-type': 'set' }, ['list-type-changed']],
  ['Certificate', 'DNS names are spelt otherwise', 'dnsNames', null, ['property-removed']],
  ['Certificate', 'any text is a duration', 'duration', { format: none }, ['format-widened']],
  [
    'Certificate',
    'a duration is hours',
    'duration',
    { format: none, pattern: '^[0-9]+h$' },
    ['format-widened', 'pattern-changed'],
  ],
  ['Certificate', 'a duration is seconds', 'duration', { type: 'integer', format: none }, ['type-changed']],
  [
    'Certificate',
    'another kind of issuer by default',
    'issuer.kind',
    { default: 'ClusterIssuer' },
    ['default-changed'],
  ],
  ['Certificate', 'no default for the kind of issuer', 'issuer.kind', { default: none }, ['default-removed']],
  [
    'Certificate',
    'the group of the issuer has a default',
    'issuer.group',
    { default: 'certs.example.com' },
    ['default-added'],
  ],
  ['Certificate', 'the group of the issuer is required', 'issuer', { required: ['name', 'group'] }, ['required-added']],
  ['Certificate', 'the issuer is optional', '', { required: ['secretName'] }, ['required-removed']],
  [
    'Certificate',
    'a further algorithm',
    'privateKey.algorithm',
    { enum: ['RSA', 'ECDSA', 'Ed25519'] },
    ['enum-widened'],
  ],
  ['Certificate', 'one algorithm less', 'privateKey.algorithm', { enum: ['RSA'] }, ['enum-narrowed']],
  [
    'Certificate',
    'another algorithm',
    'privateKey.algorithm',
    { enum: ['RSA', 'Ed25519'] },
    ['enum-narrowed', 'enum-widened'],
  ],
  ['Certificate', 'any algorithm', 'privateKey.algorithm', { enum: none }, ['enum-widened']],
  ['Certificate', 'no weak keys', 'privateKey.size', { minimum: 2048 }, ['bounds-narrowed']],
  ['Certificate', 'very long keys', 'privateKey.size', { maximum: 16_384 }, ['bounds-relaxed']],
  [
    'Certificate',
    'keys are rotated unless told otherwise',
    'privateKey.rotation',
    { default: 'Always' },
    ['default-added'],
  ],
  [
    'Certificate',
    'a rule about rotation',
    'privateKey',
    { 'x-kubernetes-validations': [{ rule: "!has(self.size) || self.algorithm != 'Ed25519'" }] },
    ['rule-added'],
  ],
  ['Certificate', 'usages do not repeat', 'usages', { 'x-kubernetes-list-type': 'set' }, ['list-type-changed']],
  ['Certificate', 'no more than a few usages', 'usages', { maxItems: 5 }, ['bounds-narrowed']],

  ['ScrapeTarget', 'selectors are merged', 'selector', { 'x-kubernetes-map-type': 'granular' }, ['map-type-changed']],
  [
    'ScrapeTarget',
    'selectors by expression',
    'selector.matchExpressions',
    { type: 'array', items: { type: 'string' } },
    ['property-added'],
  ],
  ['ScrapeTarget', 'values of labels are short', 'selector.matchLabels{}', { maxLength: 63 }, ['bounds-narrowed']],
  ['ScrapeTarget', 'no label for the job', 'jobLabel', null, ['property-removed']],
  ['ScrapeTarget', 'a longer limit', 'sampleLimit', { format: 'int64' }, ['format-widened']],
  ['ScrapeTarget', 'limits below zero', 'sampleLimit', { minimum: none }, ['bounds-relaxed']],
  ['ScrapeTarget', 'a limit of zero is none', 'sampleLimit', { exclusiveMinimum: true }, ['bounds-narrowed']],
  ['ScrapeTarget', 'no endpoint at all', 'endpoints', { minItems: none }, ['bounds-relaxed']],
  ['ScrapeTarget', 'two endpoints at least', 'endpoints', { minItems: 2 }, ['bounds-narrowed']],
  ['ScrapeTarget', 'ports have names', 'endpoints[]', { required: ['port'] }, ['required-added']],
  [
    'ScrapeTarget',
    'ports are numbers',
    'endpoints[].targetPort',
    { 'x-kubernetes-int-or-string': none, anyOf: none, pattern: none, type: 'integer' },
    ['type-changed', 'pattern-removed'],
  ],
  ['ScrapeTarget', 'any path', 'endpoints[].path', { pattern: none }, ['pattern-removed']],
  ['ScrapeTarget', 'paths have a letter', 'endpoints[].path', { pattern: '^/[a-z]' }, ['pattern-changed']],
  [
    'ScrapeTarget',
    'intervals in hours',
    'endpoints[].interval',
    { pattern: '^[0-9]+(ms|s|m|h)$' },
    ['pattern-changed'],
  ],
  ['ScrapeTarget', 'scraped twice as often', 'endpoints[].interval', { default: '15s' }, ['default-changed']],
  ['ScrapeTarget', 'only with encryption', 'endpoints[].scheme', { enum: ['https'] }, ['enum-narrowed']],
  [
    'ScrapeTarget',
    'upper case schemes too',
    'endpoints[].scheme',
    { enum: ['http', 'https', 'HTTP', 'HTTPS'] },
    ['enum-widened'],
  ],
  [
    'ScrapeTarget',
    'parameters have one value',
    'endpoints[].params{}',
    { type: 'string', items: none },
    ['type-changed'],
  ],
  [
    'ScrapeTarget',
    'parameters have several values, not too many',
    'endpoints[].params{}',
    { maxItems: 4 },
    ['bounds-narrowed'],
  ],
  ['ScrapeTarget', 'a proxy', 'endpoints[].proxyUrl', { type: 'string', format: 'uri' }, ['property-added']],

  ['DatabaseCluster', 'the next major', 'version', { enum: ['15', '16', '17'] }, ['enum-widened']],
  ['DatabaseCluster', 'an old major goes', 'version', { enum: ['16', '17'] }, ['enum-narrowed', 'enum-widened']],
  ['DatabaseCluster', 'versions are numbers', 'version', { type: 'integer', enum: none }, ['type-changed']],
  ['DatabaseCluster', 'more replicas', 'replicas', { maximum: 15 }, ['bounds-relaxed']],
  ['DatabaseCluster', 'fewer replicas', 'replicas', { maximum: 5 }, ['bounds-narrowed']],
  ['DatabaseCluster', 'no replicas: hibernation', 'replicas', { minimum: 0 }, ['bounds-relaxed']],
  ['DatabaseCluster', 'three replicas unless told otherwise', 'replicas', { default: 3 }, ['default-changed']],
  ['DatabaseCluster', 'an even number is all right', '', { 'x-kubernetes-validations': none }, ['rule-removed']],
  [
    'DatabaseCluster',
    'a friendlier message',
    '',
    { 'x-kubernetes-validations': [{ rule: 'self.replicas % 2 == 1', message: 'choose an odd number' }] },
    ['rule-message-changed'],
  ],
  [
    'DatabaseCluster',
    'another rule',
    '',
    { 'x-kubernetes-validations': [{ rule: 'self.replicas % 2 == 1 || self.replicas > 6' }] },
    ['rule-added', 'rule-removed'],
  ],
  [
    'DatabaseCluster',
    'storage never shrinks',
    'storage',
    { 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
    ['rule-added'],
  ],
  ['DatabaseCluster', 'storage has a class', 'storage', { required: ['size', 'class'] }, ['required-added']],
  ['DatabaseCluster', 'a class by default', 'storage.class', { default: 'standard' }, ['default-added']],
  [
    'DatabaseCluster',
    'sizes are text',
    'storage.size',
    { 'x-kubernetes-int-or-string': none, anyOf: none, type: 'string' },
    ['type-changed'],
  ],
  ['DatabaseCluster', 'sizes in another notation', 'storage.size', { pattern: '^[0-9]+Gi$' }, ['pattern-changed']],
  ['DatabaseCluster', 'parameters are short', 'parameters{}', { maxLength: 100 }, ['bounds-narrowed']],
  ['DatabaseCluster', 'parameters are anything', 'parameters', { additionalProperties: true }, ['type-widened']],
  [
    'DatabaseCluster',
    'parameters are a list',
    'parameters',
    { type: 'array', items: { type: 'string' }, additionalProperties: none },
    ['type-changed'],
  ],
  [
    'DatabaseCluster',
    'only known parameters',
    'parameters',
    { additionalProperties: none, properties: { shared_buffers: { type: 'string' } } },
    ['unknown-fields-pruned', 'property-added'],
  ],
  ['DatabaseCluster', 'more users', 'users', { maxItems: none }, ['bounds-relaxed']],
  ['DatabaseCluster', 'fewer users', 'users', { maxItems: 10 }, ['bounds-narrowed']],
  [
    'DatabaseCluster',
    'users are one value',
    'users',
    { 'x-kubernetes-list-type': 'atomic', 'x-kubernetes-list-map-keys': none },
    ['list-type-changed'],
  ],
  ['DatabaseCluster', 'names with digits', 'users[].name', { pattern: '^[a-z_][a-z0-9_]*$' }, ['pattern-changed']],
  [
    'DatabaseCluster',
    'roles may repeat',
    'users[].roles',
    { 'x-kubernetes-list-type': 'atomic' },
    ['list-type-changed'],
  ],
  ['DatabaseCluster', 'roles are required', 'users[]', { required: ['name', 'roles'] }, ['required-added']],
  ['DatabaseCluster', 'a password for users', 'users[].passwordSecret', { type: 'string' }, ['property-added']],
  ['DatabaseCluster', 'a backup is not null', 'backup', { nullable: none }, ['nullable-removed']],
  ['DatabaseCluster', 'a backup has a schedule', 'backup', { required: ['schedule'] }, ['required-added']],
  ['DatabaseCluster', 'backups are kept by days', 'backup.keep', null, ['property-removed']],
  ['DatabaseCluster', 'backups go anywhere', 'backup.target', { format: none }, ['format-widened']],
  ['DatabaseCluster', 'backups go to a host', 'backup.target', { format: 'hostname' }, ['format-changed']],
  [
    'DatabaseCluster',
    'nothing extra',
    'extra',
    { 'x-kubernetes-preserve-unknown-fields': none },
    ['unknown-fields-pruned'],
  ],
  [
    'DatabaseCluster',
    'something extra has a type',
    'extra.tuned',
    { type: 'boolean' },
    ['property-added', 'type-changed'],
  ],

  ['Topic', 'a partition by default', 'partitions', { default: 1 }, ['default-added']],
  ['Topic', 'partitions are required', '', { required: ['partitions'] }, ['required-added']],
  ['Topic', 'partitions are required, with a default', 'partitions', { default: 3 }, ['default-added']],
  ['Topic', 'replicas as a long', 'replicas', { format: 'int64' }, ['format-changed']],
  ['Topic', 'more replicas than there can be', 'replicas', { maximum: none }, ['bounds-relaxed']],
  ['Topic', 'short names', 'name', { maxLength: 64 }, ['bounds-narrowed']],
  ['Topic', 'names with a colon', 'name', { pattern: '^[a-zA-Z0-9._:-]+$' }, ['pattern-changed']],
  ['Topic', 'names of any form', 'name', { pattern: none, maxLength: none }, ['pattern-removed', 'bounds-relaxed']],
  [
    'Topic',
    'config is text',
    'config',
    { 'x-kubernetes-preserve-unknown-fields': none, additionalProperties: { type: 'string' } },
    ['type-changed'],
  ],
  [
    'Topic',
    'config is a map of anything',
    'config',
    {
      'x-kubernetes-preserve-unknown-fields': none,
      additionalProperties: { 'x-kubernetes-preserve-unknown-fields': true },
    },
    [],
  ],
  ['Topic', 'no retention at all', 'retention', { exclusiveMinimum: none }, ['bounds-relaxed']],
  ['Topic', 'retention in whole days', 'retention', { multipleOf: 24 }, ['multiple-narrowed']],
  ['Topic', 'retention in hours', 'retention', { multipleOf: 2 }, ['multiple-relaxed']],
  ['Topic', 'retention to the minute', 'retention', { multipleOf: none }, ['multiple-relaxed']],
  ['Topic', 'retention is whole', 'retention', { type: 'integer' }, ['type-changed']],

  ['Route', 'hosts may have wildcards', 'hosts[]', { format: none }, ['format-widened']],
  ['Route', 'hosts are one value', 'hosts', { 'x-kubernetes-list-type': none }, ['list-type-changed']],
  ['Route', 'more hosts', 'hosts', { maxItems: 32 }, ['bounds-relaxed']],
  ['Route', 'one host', 'hosts', { maxItems: 1 }, ['bounds-narrowed']],
  ['Route', 'hosts are optional', '', { required: none }, ['required-removed']],
  ['Route', 'priorities with fractions', 'priority', { type: 'number' }, ['type-widened']],
  [
    'Route',
    'priorities by name',
    'priority',
    { type: none, 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
    ['type-widened'],
  ],
  ['Route', 'priorities are names', 'priority', { type: 'string' }, ['type-changed']],
  ['Route', 'a further kind of match', 'rules[].match', { enum: ['Exact', 'Prefix', 'Regex'] }, ['enum-widened']],
  ['Route', 'exact unless told otherwise', 'rules[].match', { default: 'Exact' }, ['default-changed']],
  ['Route', 'weights as they come', 'rules[].weight', { maximum: none }, ['bounds-relaxed']],
  ['Route', 'weights above zero', 'rules[].weight', { minimum: 1 }, ['bounds-narrowed']],
  ['Route', 'both backends at once', 'rules[].backend', { oneOf: none }, ['condition-removed']],
  [
    'Route',
    'a third backend',
    'rules[].backend',
    { oneOf: [{ required: ['service'] }, { required: ['url'] }, { maxProperties: 0 }] },
    ['condition-changed'],
  ],
  ['Route', 'a backend is required', 'rules[]', { required: ['path', 'backend'] }, ['required-added']],
  [
    'Route',
    'rules by path',
    'rules',
    { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['path'] },
    ['list-type-changed'],
  ],
  ['Route', 'no idle timeout', 'timeouts.idle', null, ['property-removed']],
  ['Route', 'timeouts are free', 'timeouts', { 'x-kubernetes-preserve-unknown-fields': true }, ['unknown-fields-kept']],
  [
    'Route',
    'a rule over everything',
    '',
    { 'x-kubernetes-validations': [{ rule: 'size(self.hosts) > 0' }] },
    ['rule-added'],
  ],

  ['BackupSchedule', 'short schedules', 'cron', { minLength: 5 }, ['bounds-relaxed']],
  ['BackupSchedule', 'a schedule has a form', 'cron', { pattern: '^[^ ]+ ' }, ['pattern-changed']],
  ['BackupSchedule', 'paused unless told otherwise', 'paused', { default: true }, ['default-added']],
  ['BackupSchedule', 'paused says since when', 'paused', { type: 'string' }, ['type-changed']],
  ['BackupSchedule', 'paused may be null', 'paused', { nullable: true }, ['nullable-added']],
  ['BackupSchedule', 'retention may be empty', 'retention', { minProperties: none }, ['bounds-relaxed']],
  ['BackupSchedule', 'retention says both', 'retention', { minProperties: 2 }, ['bounds-narrowed']],
  ['BackupSchedule', 'retention says one', 'retention', { maxProperties: 1 }, ['bounds-narrowed']],
  ['BackupSchedule', 'yearly retention', 'retention.yearly', { type: 'integer' }, ['property-added']],
  [
    'BackupSchedule',
    'every namespace',
    'namespaces',
    { minItems: none, maxItems: none },
    ['bounds-relaxed', 'bounds-relaxed'],
  ],
  [
    'BackupSchedule',
    'namespaces do not repeat',
    'namespaces',
    { 'x-kubernetes-list-type': 'set' },
    ['list-type-changed'],
  ],
  [
    'BackupSchedule',
    'templates are anything',
    'template',
    { 'x-kubernetes-embedded-resource': none },
    ['embedded-resource-removed', 'property-freed', 'property-freed', 'property-freed'],
  ],
  [
    'BackupSchedule',
    'templates are known',
    'template',
    { 'x-kubernetes-preserve-unknown-fields': none, properties: { spec: { type: 'object' } } },
    ['unknown-fields-pruned', 'property-added', 'type-changed', 'unknown-fields-pruned'],
  ],
  ['BackupSchedule', 'storage says where', 'storage', { anyOf: [{ required: ['bucket'] }] }, ['condition-changed']],
  ['BackupSchedule', 'storage says nothing', 'storage', { anyOf: none }, ['condition-removed']],

  ['Release', 'charts from a place', 'chart', { format: 'uri' }, ['format-changed']],
  ['Release', 'versions of any form', 'version', { pattern: none }, ['pattern-removed']],
  ['Release', 'versions are required', '', { required: ['chart', 'version'] }, ['required-added']],
  ['Release', 'values are an object', 'values', { type: 'object' }, ['type-changed']],
  ['Release', 'values are gone', 'values', null, ['property-removed']],
  ['Release', 'retries are short', 'retries', { format: 'int32' }, ['format-changed']],
  ['Release', 'retries of any length', 'retries', { format: none }, ['format-widened']],
  ['Release', 'precise timeouts', 'timeoutSeconds', { format: 'double' }, ['format-widened']],
  ['Release', 'never by force', 'upgrade.force', null, ['property-removed']],
  ['Release', 'CRDs are replaced too', 'upgrade.crds', { enum: ['Skip', 'Create', 'Replace'] }, ['enum-widened']],
  ['Release', 'CRDs are skipped unless told otherwise', 'upgrade.crds', { default: 'Skip' }, ['default-added']],
  ['Release', 'fewer fields', '', { maxProperties: 6 }, ['bounds-narrowed']],
  ['Release', 'more fields', '', { maxProperties: 20 }, ['bounds-relaxed']],
  [
    'Release',
    'upgrades are a whole object',
    'upgrade',
    { 'x-kubernetes-embedded-resource': true },
    ['embedded-resource-added', 'property-added', 'property-added', 'property-added'],
  ],

  ['PeerRule', 'addresses as well', 'cidr', { format: none }, ['format-widened']],
  ['PeerRule', 'only addresses', 'cidr', { format: 'ipv4' }, ['format-changed']],
  ['PeerRule', 'ports by number alone', 'ports', { 'x-kubernetes-list-map-keys': ['port'] }, ['list-map-keys-changed']],
  ['PeerRule', 'keys in another order', 'ports', { 'x-kubernetes-list-map-keys': ['protocol', 'port'] }, []],
  ['PeerRule', 'another protocol by default', 'ports[].protocol', { default: 'UDP' }, ['default-changed']],
  [
    'PeerRule',
    'no protocol by default',
    'ports[].protocol',
    { default: none },
    ['default-removed', 'required-default-removed'],
  ],
  ['PeerRule', 'privileged ports', 'ports[].port', { maximum: 1023 }, ['bounds-narrowed']],
  ['PeerRule', 'all ports', 'ports[].port', { minimum: 0 }, ['bounds-relaxed']],
  ['PeerRule', 'whole orders', 'order', { type: 'integer' }, ['type-changed']],
  ['PeerRule', 'orders above zero', 'order', { minimum: 0, exclusiveMinimum: true }, ['bounds-narrowed']],
  ['PeerRule', 'rules do not log', 'action', { enum: ['Allow', 'Deny'] }, ['enum-narrowed']],
  ['PeerRule', 'rules pass', 'action', { enum: ['Log', 'Deny', 'Allow', 'Pass'] }, ['enum-widened']],
  ['PeerRule', 'rules expire to the second', 'expires', { format: 'date-time' }, ['format-changed']],
  ['PeerRule', 'notes are text', 'note', { nullable: none }, ['nullable-removed']],
  ['PeerRule', 'logging without ports', '', { 'x-kubernetes-validations': none }, ['rule-removed']],
  [
    'PeerRule',
    'the rule names its field',
    '',
    { 'x-kubernetes-validations': [{ rule: "self.action != 'Log' || has(self.ports)", fieldPath: '.ports' }] },
    ['rule-message-changed'],
  ],

  ['SecretStore', 'a server without a scheme', 'provider.vault.server', { format: none }, ['format-widened']],
  ['SecretStore', 'a server is required', 'provider.vault', { required: ['server'] }, ['required-added']],
  ['SecretStore', 'two providers', 'provider', { maxProperties: 2 }, ['bounds-relaxed']],
  ['SecretStore', 'no provider', 'provider', { minProperties: 0 }, ['bounds-relaxed']],
  [
    'SecretStore',
    'a further provider',
    'provider.file',
    { type: 'object', properties: { path: { type: 'string' } } },
    ['property-added'],
  ],
  ['SecretStore', 'one provider less', 'provider.cloud', null, ['property-removed']],
  ['SecretStore', 'the old protocol goes', 'provider.vault.version', { enum: ['v2'] }, ['enum-narrowed']],
  ['SecretStore', 'refreshed now and then', 'refresh', { default: 3600 }, ['default-changed']],
  ['SecretStore', 'a bundle as text', 'caBundle', { format: none }, ['format-widened']],
  ['SecretStore', 'a bundle and its length', 'caBundle', { maxLength: 10_000 }, ['bounds-narrowed']],
  ['SecretStore', 'any token', 'token', { not: none }, ['condition-removed']],
  ['SecretStore', 'no test token', 'token', { not: { enum: ['root', 'test'] } }, ['condition-changed']],
  ['SecretStore', 'longer labels', 'labels{}', { maxLength: 128 }, ['bounds-relaxed']],
  ['SecretStore', 'labels are not empty', 'labels{}', { minLength: 1 }, ['bounds-narrowed']],
  ['SecretStore', 'labels may be null', 'labels', { nullable: true }, ['nullable-added']],

  [
    'Workload',
    'a strategy is short',
    'strategy',
    { allOf: [{ minLength: 1 }, { maxLength: 20 }, { pattern: '^[A-Z]' }] },
    ['condition-changed'],
  ],
  ['Workload', 'a strategy is long', 'strategy', { allOf: [{ minLength: 1 }] }, ['condition-removed']],
  ['Workload', 'surge beside unavailable', 'maxSurge', { 'x-kubernetes-int-or-string': true }, ['property-added']],
  [
    'Workload',
    'numbers only',
    'maxUnavailable',
    { 'x-kubernetes-int-or-string': none, type: 'integer', anyOf: none, pattern: none },
    ['type-changed', 'pattern-removed'],
  ],
  [
    'Workload',
    'variables from a Secret',
    'env[].valueFrom',
    { type: 'object', properties: { secret: { type: 'string' } } },
    ['property-added'],
  ],
  ['Workload', 'variables have values', 'env[]', { required: ['name', 'value'] }, ['required-added']],
  ['Workload', 'limits in another notation', 'resources.limits{}', { pattern: none }, ['pattern-removed']],
  ['Workload', 'requests are dropped', 'resources.requests', null, ['property-removed']],
  [
    'Workload',
    'annotations of any kind',
    'annotations',
    { additionalProperties: none, 'x-kubernetes-preserve-unknown-fields': true },
    ['type-widened'],
  ],
];

const version = (spec: Spec): Version => spec.versions[0] as Version;
const v2 = (spec: Spec, more: Node = {}): Version => ({ ...version(spec), name: 'v2', storage: false, ...more });
const withVersion =
  (more: Node) =>
  (spec: Spec): Spec => ({ ...spec, versions: [{ ...version(spec), ...more }] });
const withNames =
  (more: Node) =>
  (spec: Spec): Spec => ({ ...spec, names: { ...spec.names, ...more } });

/** Changes of releases to a whole CRD. */
const versionRows: readonly VersionRow[] = [
  ['Certificate', 'a second version', (spec) => ({ ...spec, versions: [version(spec), v2(spec)] }), ['version-added']],
  [
    'Certificate',
    'a second version that is stored',
    (spec) => ({ ...spec, versions: [{ ...version(spec), storage: false }, v2(spec, { storage: true })] }),
    ['version-added', 'storage-version-changed'],
  ],
  [
    'Certificate',
    'another version alone',
    (spec) => ({ ...spec, versions: [{ ...v2(spec), storage: true }] }),
    ['version-removed', 'version-added', 'storage-version-changed'],
  ],
  ['Certificate', 'a deprecated version', withVersion({ deprecated: true }), ['version-deprecated']],
  [
    'Certificate',
    'a deprecated version with a warning',
    withVersion({ deprecated: true, deprecationWarning: 'use another' }),
    ['version-deprecated'],
  ],
  ['Certificate', 'a version that is not served', withVersion({ served: false }), ['version-unserved']],
  ['Certificate', 'cluster-scoped', (spec) => ({ ...spec, scope: 'Cluster' }), ['scope-changed']],
  [
    'Certificate',
    'another kind',
    withNames({ kind: 'Cert', listKind: 'CertList', singular: 'cert' }),
    ['kind-changed'],
  ],
  ['Certificate', 'another plural', withNames({ plural: 'certs' }), ['plural-changed']],
  ['Certificate', 'another group', (spec) => ({ ...spec, group: 'certs.example.org' }), ['group-changed']],
  ['Certificate', 'another singular', withNames({ singular: 'cert' }), ['names-changed']],
  ['Certificate', 'another kind of lists', withNames({ listKind: 'Certificates' }), ['names-changed']],
  ['Certificate', 'short names', withNames({ shortNames: ['crt'] }), ['names-added']],
  ['Certificate', 'a category', withNames({ categories: ['all'] }), ['names-added']],
  [
    'ScrapeTarget',
    'a webhook converts',
    (spec) => ({
      ...spec,
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: { url: 'https://example.com' }, conversionReviewVersions: ['v1'] },
      },
    }),
    ['conversion-changed'],
  ],
  ['ScrapeTarget', 'no conversion, as before', (spec) => ({ ...spec, conversion: { strategy: 'None' } }), []],
  ['ScrapeTarget', 'a status', withVersion({ subresources: { status: {} } }), ['status-subresource-added']],
  [
    'Workload',
    'it scales',
    withVersion({
      subresources: { scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
    }),
    ['scale-added'],
  ],
  [
    'Workload',
    'columns',
    withVersion({ additionalPrinterColumns: [{ name: 'Image', type: 'string', jsonPath: '.spec.image' }] }),
    ['printer-columns-changed'],
  ],
  [
    'Workload',
    'a field to select by',
    withVersion({ selectableFields: [{ jsonPath: '.spec.image' }] }),
    ['selectable-field-added'],
  ],
];

/** Every pair, and for those of whole CRDs also the reverse. */
export function pairs(): readonly Pair[] {
  return [
    ...rows.map(([kind, what, path, patch, expected]): Pair => {
      const before = specOf(kind, kinds[kind]);
      return {
        title: `${kind}: ${what}`,
        before,
        after: specOf(kind, edit(kinds[kind], ['spec', ...stepsOf(path)], patch)),
        expected,
      };
    }),
    ...versionRows.map(([kind, what, change, expected]): Pair => {
      const before = specOf(kind, kinds[kind]);
      return { title: `${kind}: ${what}`, before, after: change(before), expected };
    }),
  ];
}

/** Reversed pairs, without expectations. */
export function reversedPairs(): readonly Pair[] {
  return pairs().map(({ title, before, after }) => ({
    title: `${title} (taken back)`,
    before: after,
    after: before,
    expected: [],
  }));
}

export function specOf(kind: string, schema: Node): Spec {
  return {
    group: 'shop.example.com',
    scope: 'Namespaced',
    names: { kind, plural: `${kind.toLowerCase()}s`, singular: kind.toLowerCase(), listKind: `${kind}List` },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  };
}

function stepsOf(path: string): readonly string[] {
  return path === ''
    ? []
    : path
        .split('.')
        .flatMap((step) => [step.replace(/(\[\]|\{\})$/u, ''), ...(/(\[\]|\{\})$/u.exec(step)?.slice(1) ?? [])]);
}

function edit(node: Node, steps: readonly string[], patch: Patch): Node {
  const [step, ...rest] = steps;
  if (step === undefined)
    return Object.fromEntries(Object.entries({ ...node, ...patch }).filter(([, value]) => value !== undefined));
  if (step === '[]') return { ...node, items: edit(node['items'] as Node, rest, patch) };
  if (step === '{}') return { ...node, additionalProperties: edit(node['additionalProperties'] as Node, rest, patch) };
  const properties = (node['properties'] ?? {}) as Readonly<Record<string, Node>>;
  if (rest.length === 0 && patch === null)
    return { ...node, properties: Object.fromEntries(Object.entries(properties).filter(([name]) => name !== step)) };
  return { ...node, properties: { ...properties, [step]: edit(properties[step] ?? {}, rest, patch) } };
}
