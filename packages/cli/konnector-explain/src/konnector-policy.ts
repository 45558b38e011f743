import {
  annotations as coreKbindAnnotations,
  apiGroup as coreKbindGroup,
  finalizers as coreKbindFinalizers,
  labels as coreKbindLabels,
} from '@hawser/core-kbind';
import { type Dialect, annotations, hawserPrefix, labels, owners } from '@hawser/kube-bind';
import { type OwnPolicy, celList, celUnless, ownPolicy, powers, systemNamespaces, tokenTypes } from '@hawser/preview';
import type { CRDPolicy } from '@hawser/servicebinding';

/** Name of the policy for a konnector, and of its binding. The chart names its cluster-wide objects the same way. */
export function konnectorPolicyName({
  namespace,
  serviceAccount,
}: Pick<KonnectorPolicyOptions, 'namespace' | 'serviceAccount'>): string {
  return `hawser-${serviceAccount}-${namespace}`;
}

export interface KonnectorPolicyOptions {
  /** Namespace of the konnector. */
  readonly namespace: string;
  /** Name of its ServiceAccount in that namespace. */
  readonly serviceAccount: string;
  /** Further namespaces with the kubeconfig Secrets of bindings. */
  readonly kubeconfigNamespaces: readonly string[];
  readonly dialect: Pick<Dialect, 'apiGroup'>;
  /** CRDs that it lets providers install. */
  readonly crds: CRDPolicy;
  /** Namespaces with the kubeconfigs of Connections; undefined: `core.kbind.io` is not served. */
  readonly coreKbind?: { readonly secretNamespaces: readonly string[] } | undefined;
}

const claimed = ['secrets', 'configmaps', 'serviceaccounts'];
const bindings = ['apiservicebindings', 'apiservicebindingbundles'];
const ofCoreKbind = ['connections', 'clusterbindings', 'bindings'];

const ownerOf = (apiGroup: string): string => `${apiGroup}/resource-owner`;

const ownedBy = (apiGroup: string, map: string, kind: string): string =>
  `${map}.metadata.?ownerReferences.orValue([]).exists(one, one.kind == '${kind}' && one.apiVersion.startsWith('${apiGroup}/'))`;

const kept = (field: string): string => `object.metadata.?${field} == oldObject.metadata.?${field}`;

const untouched = (before: string, after: string, own: string): string =>
  `${after}.all(key, ${own} || (key in ${before} && ${before}[key] == ${after}[key])) && ${before}.all(key, ${own} || key in ${after})`;

/**
 * Prevents the konnector from acting as another user of the consumer. RBAC cannot name what it creates: with `create`
 * and `list` on Secrets anywhere, it would have a token of any ServiceAccount. With `patch` on CRDs, it would have the
 * API of any operator. The policy limits the konnector to the writes of its job. It grants nothing.
 */
export function konnectorPolicy(options: KonnectorPolicyOptions): OwnPolicy {
  const { namespace, serviceAccount } = options;
  return ownPolicy({
    name: konnectorPolicyName({ namespace, serviceAccount }),
    user: `system:serviceaccount:${namespace}:${serviceAccount}`,
    watched: watchedBy(options),
    variables: variablesOf(options),
    rules: [...rulesOnClaimed(options), ...rulesOnCRDs(options), ...rulesOnTheRest(options)],
  });
}

type Policy = Parameters<typeof ownPolicy>[0];

function watchedBy({ dialect: { apiGroup }, coreKbind }: KonnectorPolicyOptions): Policy['watched'] {
  return [
    {
      groups: [''],
      resources: [
        'namespaces',
        'namespaces/*',
        ...claimed,
        'serviceaccounts/token',
        'pods',
        'pods/*',
        'replicationcontrollers',
        'nodes',
        'nodes/*',
        'persistentvolumes',
      ],
    },
    {
      groups: ['apiextensions.k8s.io'],
      resources: ['customresourcedefinitions', 'customresourcedefinitions/status'],
    },
    { groups: [apiGroup], resources: bindings },
    ...(coreKbind === undefined ? [] : [{ groups: [coreKbindGroup], resources: ofCoreKbind }]),
    { groups: ['apps', 'batch'], resources: ['*'] },
    ...powers,
  ];
}

/** Variables of the rules. */
function variablesOf({
  namespace,
  kubeconfigNamespaces,
  dialect: { apiGroup },
  coreKbind,
}: KonnectorPolicyOptions): Policy['variables'] {
  const kubeconfigs = [...new Set([namespace, ...kubeconfigNamespaces])];
  const ownCRDs = [
    ...bindings.map((plural) => `${plural}.${apiGroup}`),
    ...(coreKbind === undefined ? [] : ofCoreKbind.map((plural) => `${plural}.${coreKbindGroup}`)),
  ];
  const owner = ownerOf(apiGroup);
  const isRelated = (map: string): string =>
    coreKbind === undefined ? '' : ` || '${coreKbindAnnotations.relatedBinding}' in ${map}`;
  const isCopy = (map: string): string =>
    `('${annotations.providerUID}' in ${map} || ${map}[?'${owner}'].orValue('') == 'Provider'${isRelated(map)})`;
  return [
    {
      name: 'name',
      expression:
        "object != null && has(object.metadata) && has(object.metadata.name) ? object.metadata.name : (oldObject != null ? oldObject.metadata.name : '')",
    },
    { name: 'annotations', expression: 'object == null ? {} : object.metadata.?annotations.orValue({})' },
    { name: 'oldAnnotations', expression: 'oldObject == null ? {} : oldObject.metadata.?annotations.orValue({})' },
    { name: 'labels', expression: 'object == null ? {} : object.metadata.?labels.orValue({})' },
    { name: 'oldLabels', expression: 'oldObject == null ? {} : oldObject.metadata.?labels.orValue({})' },
    {
      name: 'controlled',
      expression:
        'oldObject != null && oldObject.metadata.?ownerReferences.orValue([]).exists(one, one.?controller.orValue(false))',
    },
    { name: 'isCopy', expression: isCopy('variables.annotations') },
    { name: 'wasCopy', expression: `!variables.controlled && ${isCopy('variables.oldAnnotations')}` },
    { name: 'isSystem', expression: `request.namespace in ${celList(systemNamespaces)}` },
    // A kubeconfig that the provider has replaced: its contents, and nothing else.
    {
      name: 'isKubeconfig',
      expression: `request.resource.resource == 'secrets' && request.namespace in ${JSON.stringify(kubeconfigs)} && (oldObject == null || (object != null && !variables.controlled && variables.labels == variables.oldLabels && variables.annotations == variables.oldAnnotations))`,
    },
    {
      name: 'isRecord',
      expression: `request.resource.resource == 'configmaps' && request.namespace == '${namespace}' && object != null && variables.name.startsWith('hawser-orphans-')`,
    },
    // The user's own object, which is marked as claimed.
    {
      name: 'isMarked',
      expression: `object != null && oldObject != null && ['data', 'binaryData', 'stringData', 'type', 'immutable', 'secrets', 'imagePullSecrets', 'automountServiceAccountToken'].all(field, object[?field] == oldObject[?field]) && ${untouched('variables.oldLabels', 'variables.labels', `key == '${labels.owner}'`)} && ${untouched('variables.oldAnnotations', 'variables.annotations', `key == '${owner}' || key.startsWith('${hawserPrefix}')`)}`,
    },
    { name: 'isOwnCRD', expression: `variables.name in ${celList(ownCRDs)}` },
    ...(coreKbind === undefined ? [] : coreKbindVariables(coreKbind.secretNamespaces)),
  ];
}

/**
 * For `core.kbind.io`: objects with the mark of a bound CRD, and the Secret of a Connection that only gets or loses its
 * finalizer.
 */
function coreKbindVariables(secretNamespaces: readonly string[]): Policy['variables'] {
  const isBound = (labelMap: string, annotationMap: string): string =>
    `${labelMap}[?'${coreKbindLabels.managed}'].orValue('') == 'true' && '${coreKbindAnnotations.connection}' in ${annotationMap}`;
  const others = (object: string): string =>
    `${object}.metadata.?finalizers.orValue([]).filter(one, one != '${coreKbindFinalizers.cleanup}')`;
  return [
    { name: 'isBound', expression: isBound('variables.labels', 'variables.annotations') },
    { name: 'wasBound', expression: isBound('variables.oldLabels', 'variables.oldAnnotations') },
    {
      name: 'isHeld',
      expression: `request.resource.resource == 'secrets' && request.namespace in ${JSON.stringify(secretNamespaces)} && object != null && oldObject != null && ${others('object')} == ${others('oldObject')}`,
    },
  ];
}

function rulesOnClaimed({ namespace, coreKbind }: KonnectorPolicyOptions): Policy['rules'] {
  return [
    {
      expression: celUnless(
        ['secrets'],
        `[object, oldObject].all(one, one == null || !(one.?type.orValue('Opaque') in ${celList(tokenTypes)}))`,
      ),
      message: 'the konnector writes and deletes no Secret for which Kubernetes issues or takes a token',
    },
    {
      expression: celUnless(
        ['serviceaccounts'],
        "request.?subResource.orValue('') == '' && variables.name != 'default'",
      ),
      message: 'the konnector asks for no token, and leaves ServiceAccount default alone',
    },
    {
      expression: celUnless(
        claimed,
        `oldObject != null || (variables.isCopy && !variables.isSystem && (request.resource.resource == 'secrets' || request.namespace != '${namespace}')) || variables.isKubeconfig || variables.isRecord`,
      ),
      message: `the konnector makes copies that say so, outside ${systemNamespaces.join(', ')}, and kubeconfigs where bindings have them`,
    },
    {
      expression: celUnless(
        claimed,
        'object == null || oldObject == null || variables.isMarked || variables.isKubeconfig || variables.isRecord || (!variables.isSystem && (variables.wasCopy || (variables.isCopy && !variables.controlled)))',
      ),
      message: 'the konnector changes contents of copies and of kubeconfigs; of other objects it changes its own mark',
    },
    {
      expression: celUnless(claimed, 'object != null || (variables.wasCopy && !variables.isSystem)'),
      message: 'the konnector deletes copies, and no other object that a claim could be on',
    },
    {
      expression: celUnless(
        claimed,
        `object == null || oldObject == null || (${coreKbind === undefined ? kept('finalizers') : `(${kept('finalizers')} || variables.isHeld)`} && ${kept('ownerReferences')})`,
      ),
      message: 'the konnector sets no finalizers and owners on what is claimed, and removes none',
    },
  ];
}

function rulesOnCRDs({
  dialect: { apiGroup },
  crds: { allowedGroups = ['*'], allowConversionWebhooks = false },
  coreKbind,
}: KonnectorPolicyOptions): Policy['rules'] {
  const wasOurs = ownedBy(apiGroup, 'oldObject', 'APIServiceBinding');
  const isOurs = ownedBy(apiGroup, 'object', 'APIServiceBinding');
  // A CRD that another party installed gets the mark of a Connection, and nothing else.
  const marked = 'variables.isBound && object.spec == oldObject.spec';
  const [before, after, ofWhom] =
    coreKbind === undefined
      ? [wasOurs, isOurs, 'that an APIServiceBinding owns']
      : [
          `(${wasOurs} || variables.wasBound || (${marked}))`,
          `(${isOurs} || variables.isBound)`,
          'that an APIServiceBinding owns or a Connection has brought',
        ];
  return [
    {
      expression: celUnless(
        ['customresourcedefinitions'],
        `oldObject == null || (variables.isOwnCRD ? object != null : ${before})`,
      ),
      message: `the konnector changes and deletes CRDs ${ofWhom}, and no others`,
    },
    {
      expression: celUnless(
        ['customresourcedefinitions'],
        `object == null || oldObject == null || (${kept('finalizers')} && ${kept('ownerReferences')})`,
      ),
      message: 'the konnector sets no finalizers and owners on CRDs that are there, and removes none',
    },
    {
      expression: celUnless(
        ['customresourcedefinitions'],
        `object == null || oldObject != null || variables.isOwnCRD || (${after} && ${isOpen('object.spec.group', JSON.stringify(allowedGroups))})`,
      ),
      message: `the konnector installs CRDs ${ofWhom}, in groups that are open to providers`,
    },
    {
      expression: celUnless(
        ['customresourcedefinitions'],
        `object == null || ${String(allowConversionWebhooks)} || object.spec.?conversion.?strategy.orValue('None') == 'None' || (oldObject != null && object.spec.?conversion == oldObject.spec.?conversion)`,
      ),
      message: 'the konnector installs no conversion webhook, to which the API server would send objects',
    },
  ];
}

function rulesOnTheRest({ dialect: { apiGroup }, coreKbind }: KonnectorPolicyOptions): Policy['rules'] {
  const groups = ['apiextensions.k8s.io', apiGroup, ...(coreKbind === undefined ? [] : [coreKbindGroup])];
  return [
    {
      expression: celUnless(
        ['namespaces'],
        `request.?subResource.orValue('') == '' && oldObject == null && variables.labels[?'${labels.owner}'].orValue('') == '${owners.provider}' && variables.name != 'default' && !variables.name.startsWith('kube-')`,
      ),
      message: 'the konnector makes namespaces for providers, which say so, and changes and deletes none',
    },
    {
      expression: celUnless(
        bindings,
        `object != null && oldObject != null ? object.?spec == oldObject.?spec && ${kept('ownerReferences')} : [object, oldObject].all(one, one == null || ${ownedBy(apiGroup, 'one', 'APIServiceBindingBundle')})`,
      ),
      message: 'the konnector makes and deletes bindings of bundles, and changes no spec',
    },
    ...(coreKbind === undefined
      ? []
      : [
          {
            expression: celUnless(
              ofCoreKbind,
              `object != null && oldObject != null ? (object.?spec == oldObject.?spec || ${ownedBy(coreKbindGroup, 'oldObject', 'Connection')}) && ${kept('ownerReferences')} : [object, oldObject].all(one, one == null || ${ownedBy(coreKbindGroup, 'one', 'Connection')})`,
            ),
            message:
              'the konnector makes, changes and deletes bindings that a Connection owns, and changes no other spec',
          },
        ]),
    {
      expression: `request.resource.group in ${celList(groups)} || request.resource.resource in ${celList([...claimed, 'namespaces'])}`,
      message:
        'the konnector runs no code, gives no rights and changes nothing of the API server, whatever it was granted',
    },
  ];
}

/** Same as `refusedByPolicy` of `@hawser/servicebinding`. `allowed`: a list in CEL. */
function isOpen(group: string, allowed: string): string {
  const isAtOrBelow = (suffixes: readonly string[]): string =>
    `${celList(suffixes)}.exists(one, ${group} == one || ${group}.endsWith('.' + one))`;
  const named = `${allowed}.exists(one, one.startsWith('*.') ? ${group}.endsWith(one.substring(1)) : one == ${group} && one != '*')`;
  return `${group}.contains('.') && ${group} != 'kube-bind.io' && !${isAtOrBelow(['hawser.dev'])} && (${named} || ('*' in ${allowed} && !${isAtOrBelow(['k8s.io', 'kubernetes.io', 'kcp.io'])}))`;
}
