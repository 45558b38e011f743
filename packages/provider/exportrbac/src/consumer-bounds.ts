import { dialects } from '@hawser/klutch';
import { type AdmissionPolicy, type AdmissionPolicyBinding, statusReason } from './admission-policy.js';

/** Name of the policy, and of its binding, for writes of consumers of both dialects. */
export const consumerBoundsName = 'hawser-consumer-bounds';

const binders = dialects.map(({ names }) => names.binder);
const groups = listed(dialects.map(({ apiGroup }) => apiGroup));
const marks = listed(dialects.map(({ annotations }) => annotations.clusterNamespace));
const watchedSecrets = listed(['kubeconfig', ...binders.flatMap((binder) => [binder, `${binder}-next`])]);

const many = 64;
const few = 16;
/** Maximum text in all conditions of a status, in annotations, and in a Secret that the provider role watches. */
const text = 65_536;

const isMain = "request.?subResource.orValue('') == ''";
const isRequest = `variables.isContract && request.resource.resource == 'apiserviceexportrequests' && ${isMain}`;
const sumOf = (list: string, size: string): string => `${list}.map(one, ${size}).sum()`;
/** A short scalar value. */
const short = (value: string, longest: number): string =>
  `(type(${value}) != map && type(${value}) != list && (type(${value}) != string || ${value}.size() <= ${longest}))`;
const atMost = (list: string, length: number, each: string): string =>
  `${list}.size() <= ${length} && ${list}.all(one, ${each})`;

/** An object without a schema: short values, lists and objects of these, no deeper. `path`: its optional path. */
const shallow = (optional: string, path: string): string =>
  `${optional}.orValue({}).size() <= ${few} && ${optional}.orValue({}).all(key, key.size() <= 253 && (${[
    short(`${path}[key]`, 4_096),
    `(type(${path}[key]) == map && ${path}[key].size() <= ${few} && ${path}[key].all(inner, inner.size() <= 253 && ${short(`${path}[key][inner]`, 256)}))`,
    `(type(${path}[key]) == list && ${path}[key].size() <= ${few} && ${path}[key].all(inner, ${short('inner', 256)}))`,
  ].join(' || ')}))`;
const selected: readonly string[] = [
  atMost(
    'claim.?selector.?namedResources.orValue([])',
    many,
    "one.?name.orValue('').size() <= 253 && one.?namespace.orValue('').size() <= 63",
  ),
  atMost(
    'claim.?selector.?references.orValue([])',
    many,
    `one.?group.orValue('').size() <= 253 && one.?resource.orValue('').size() <= 253 && one.?jsonPath.?name.orValue('').size() <= 256 && one.?jsonPath.?namespace.orValue('').size() <= 256 && ${atMost('one.?versions.orValue([])', few, 'one.size() <= 63')}`,
  ),
  ...['claim.?selector.?labelSelector', 'claim.?selector'].flatMap((selector) => [
    `${selector}.?matchLabels.orValue({}).size() <= ${many} && ${selector}.?matchLabels.orValue({}).all(key, key.size() <= 317 && ${selector}.?matchLabels[?key].orValue('').size() <= 63)`,
    atMost(
      `${selector}.?matchExpressions.orValue([])`,
      many,
      `one.?key.orValue('').size() <= 317 && one.?operator.orValue('').size() <= 63 && ${atMost('one.?values.orValue([])', few, 'one.size() <= 63')}`,
    ),
  ]),
  // Fields of Klutch only.
  ...['names', 'namespaces', 'fieldSelectors'].map((field) =>
    atMost(`claim.?selector.?${field}.orValue([])`, many, 'one.size() <= 1024'),
  ),
  atMost(
    'claim.?selector.?labelSelectors.orValue([])',
    many,
    `one.size() <= ${many} && one.all(key, key.size() <= 317 && one[key].size() <= 63)`,
  ),
  ...['read', 'create', 'update', 'onConflict'].map((field) => shallow(`claim.?${field}`, `claim.${field}`)),
];
/** Expression for one part of the selectors over all claims. */
const inAll = (list: string, part: string): string =>
  `${list}.map(claim, claim.?selector.?${part}.size()).sum() <= ${many}`;
const claims = (list: string): string =>
  `${list}.size() <= ${many} && ${['namedResources.orValue([])', 'references.orValue([])', 'labelSelector.?matchLabels.orValue({})', 'labelSelector.?matchExpressions.orValue([])', 'names.orValue([])', 'namespaces.orValue([])', 'labelSelectors.orValue([])'].map((part) => inAll(list, part)).join(' && ')} && ${list}.all(claim, claim.?group.orValue('').size() <= 253 && claim.?resource.orValue('').size() <= 253 && ${selected.join(' && ')})`;

/**
 * Limits size and number of a consumer's objects, and forbids what RBAC cannot express: copies of the other dialect,
 * unmarked objects of the provider, and finalizers that would block the consumer's removal. It may be missing or wider:
 * rights do not depend on it. It grants nothing.
 */
export const consumerBounds: AdmissionPolicy = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: consumerBoundsName },
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: ['*'],
          apiVersions: ['*'],
          operations: ['CREATE', 'UPDATE', 'DELETE'],
          resources: ['*', '*/status'],
        },
      ],
    },
    matchConditions: [
      {
        name: 'consumers',
        expression: `request.userInfo.username.startsWith('system:serviceaccount:') && (${binders.map((binder) => `request.userInfo.username.endsWith(':${binder}')`).join(' || ')})`,
      },
      {
        name: 'not-reviews',
        expression: "!(request.resource.group in ['authorization.k8s.io', 'authentication.k8s.io'])",
      },
    ],
    variables: [
      { name: 'consumer', expression: "request.userInfo.username.split(':')[2]" },
      { name: 'within', expression: "has(request.namespace) ? request.namespace : ''" },
      { name: 'isContract', expression: `request.resource.group in ${groups}` },
      { name: 'before', expression: 'oldObject == null ? {} : oldObject.metadata.?annotations.orValue({})' },
      { name: 'after', expression: 'object == null ? {} : object.metadata.?annotations.orValue({})' },
      {
        name: 'isOwnPlace',
        expression:
          "variables.within == variables.consumer || (variables.within == '' ? oldObject != null && oldObject.metadata.name.startsWith(variables.consumer + '-') : variables.within.startsWith(variables.consumer + '-'))",
      },
    ],
    validations: [
      {
        expression: `request.resource.group == '' || oldObject == null || ${marks}.all(mark, !(mark in variables.before) || variables.before[mark] == variables.consumer)`,
        message: 'the object belongs to another consumer, as its annotation says',
        reason: statusReason,
      },
      {
        expression: `object == null || ${marks}.all(mark, !(mark in variables.after) || variables.after[mark] == variables.consumer || (mark in variables.before && variables.before[mark] == variables.after[mark]))`,
        message: 'a consumer marks no object as that of another consumer, in the words of no dialect',
        reason: statusReason,
      },
      {
        // Where names are shared, the mark identifies a copy. Claimed objects have none.
        expression: `request.resource.group == '' || variables.isContract || oldObject == null || variables.isOwnPlace || ${marks}.exists(mark, mark in variables.before)`,
        message: "the object has no mark of a consumer: it is the provider's",
        reason: statusReason,
      },
      {
        // The konnector of an app cluster has its finalizer on APIServiceBindings.
        expression:
          "object == null || request.resource.resource == 'apiservicebindings' || object.metadata.?finalizers.orValue([]).all(one, oldObject != null && one in oldObject.metadata.?finalizers.orValue([]))",
        message: 'a consumer adds no finalizers on the provider: they would hold up the end of the consumer',
        reason: statusReason,
      },
      {
        // These names identify a Go backend, and cause reports about it.
        expression:
          "!variables.isContract || object == null || object.metadata.?managedFields.orValue([]).all(one, !(one.?manager.orValue('') in ['backend', 'kube-bind-backend']) || (oldObject != null && oldObject.metadata.?managedFields.orValue([]).exists(old, old.?manager.orValue('') == one.manager && old.?subresource.orValue('') == one.?subresource.orValue('') && string(old.?time.orValue('')) == string(one.?time.orValue('')))))",
        message: 'a consumer does not write in the name of a Go backend',
        reason: statusReason,
      },
      {
        expression: `!variables.isContract || object == null || (object.metadata.?managedFields.orValue([]).size() <= ${few} && (!(${isMain}) || (object.metadata.?labels.orValue({}).size() <= ${many} && object.metadata.?ownerReferences.orValue([]).size() <= ${many} && ${sumOf('variables.after', 'variables.after[one].size()')} <= ${text})))`,
        message: `metadata of a consumer's object: at most ${many} labels and owner references, ${few} field managers, and ${text} bytes of annotations`,
        reason: statusReason,
      },
      {
        expression: `!variables.isContract || object == null || (object.?status.?conditions.orValue([]).size() <= ${many} && ${sumOf('object.?status.?conditions.orValue([])', "one.?type.orValue('').size() + one.?severity.orValue('').size() + one.?reason.orValue('').size() + one.?message.orValue('').size()")} <= ${text})`,
        message: `conditions: at most ${many}, and ${text} bytes of text in all`,
        reason: statusReason,
      },
      {
        expression: `!variables.isContract || object == null || ([${['konnectorVersion', 'heartbeatInterval', 'phase', 'namespace'].map((field) => `object.?status.?${field}.orValue('')`).join(', ')}].all(one, one.size() <= 256) && object.?status.?terminalMessage.orValue('').size() <= 4096)`,
        message: 'texts of a status: at most 256 bytes, a terminal message 4096',
        reason: statusReason,
      },
      {
        expression: `!variables.isContract || object == null || (${atMost('object.?status.?storedVersions.orValue([])', many, 'one.size() <= 63')} && ${['categories', 'shortNames'].map((field) => atMost(`object.?status.?acceptedNames.?${field}.orValue([])`, many, 'one.size() <= 63')).join(' && ')} && [${['plural', 'singular', 'kind', 'listKind'].map((field) => `object.?status.?acceptedNames.?${field}.orValue('')`).join(', ')}].all(one, one.size() <= 253))`,
        message: `names and versions in a status: at most ${many} of each, of 63 bytes`,
        reason: statusReason,
      },
      {
        expression: `!(${isRequest}) || object == null || (${atMost('object.spec.?resources.orValue([])', many, `one.?versions.orValue([]).size() <= ${few} && one.?versions.orValue([]).all(version, version.size() <= 63) && one.?group.orValue('').size() <= 253 && one.?resource.orValue('').size() <= 253`)})`,
        message: `a request asks for at most ${many} resources, each in ${few} versions`,
        reason: statusReason,
      },
      {
        expression: `!(${isRequest}) || object == null || (${atMost('object.spec.?namespaces.orValue([])', 1_000, "one.?name.orValue('').size() <= 63")})`,
        message: 'a request asks for at most 1000 namespaces',
        reason: statusReason,
      },
      {
        // Klutch has them in each resource.
        expression: `!(${isRequest}) || object == null || (${claims('object.spec.?permissionClaims.orValue([])')} && object.spec.?resources.orValue([]).all(resource, ${claims('resource.?permissionClaims.orValue([])')}))`,
        message: `a request has at most ${many} claims, with at most ${many} names, references and labels in all`,
        reason: statusReason,
      },
      {
        expression: `!(${isRequest}) || object == null || (${shallow('object.spec.?parameters', 'object.spec.parameters')})`,
        message: `parameters of a request: at most ${few}, of at most ${few} short values each, and nothing deeper`,
        reason: statusReason,
      },
      {
        expression: `request.resource.group != '' || request.resource.resource != 'secrets' || object == null || !(object.metadata.?name.orValue('') in ${watchedSecrets}) || (${sumOf('object.?data.orValue({})', 'object.data[one].size()')} <= ${text} && ${sumOf('variables.after', 'variables.after[one].size()')} <= ${text} && object.metadata.?labels.orValue({}).size() <= ${many})`,
        message: `a Secret of this name is read by the provider role, and has at most ${text} bytes`,
        reason: statusReason,
      },
    ],
  },
};

export const consumerBoundsBinding: AdmissionPolicyBinding = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: consumerBoundsName },
  spec: { policyName: consumerBoundsName, validationActions: ['Deny'] },
};

function listed(values: readonly string[]): string {
  return `[${values.map((value) => `'${value}'`).join(', ')}]`;
}
