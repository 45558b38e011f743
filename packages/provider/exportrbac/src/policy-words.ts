import { klutchDialect, dialects, labels as klutchLabels } from '@hawser/klutch';

/** What the expressions of the policy for the provider role are about. */
export interface PolicyWords {
  /** ServiceAccounts of consumers. */
  readonly binders: readonly string[];
  /** Their tokens. */
  readonly tokenNames: readonly string[];
  /** Annotations of cluster namespaces. */
  readonly identities: readonly string[];
  /** Annotations of service namespaces. */
  readonly services: readonly string[];
  /** API groups of the dialects. */
  readonly groups: readonly string[];
  /** Whether requests are answered in the namespace of the object: an expression. */
  readonly answersHere: string;
}

/** @param requestNamespaces the only namespaces in which requests are answered. */
export function policyWords(requestNamespaces: readonly string[] | undefined): PolicyWords {
  const binders = dialects.map(({ names }) => names.binder);
  return {
    binders,
    tokenNames: binders.flatMap((binder) => [binder, `${binder}-next`]),
    identities: dialects.flatMap(({ identityAnnotations }) => identityAnnotations),
    services: dialects.map(({ annotations }) => annotations.apiServiceNamespace),
    groups: dialects.flatMap((one) =>
      one.name === klutchDialect.name ? [one.apiGroup, `example-backend.${one.apiGroup}`] : [one.apiGroup],
    ),
    answersHere: requestNamespaces === undefined ? 'true' : `request.namespace in ${JSON.stringify(requestNamespaces)}`,
  };
}

/** Whether a map has one of the keys: an expression, as all that follow. */
export function anyIn(map: string, keys: readonly string[]): string {
  return keys.map((key) => `'${key}' in ${map}`).join(' || ');
}

/** Whether labels are those of the root namespace of an AppClusterBinding. */
export function isRoot(map: string): string {
  return anyIn(map, [klutchLabels.appClusterBindingName]);
}

/** What holds of objects of these resources, and of no others. */
export function unless(resources: readonly string[], expression: string): string {
  return `!(${isA(resources)}) || (${expression})`;
}

export function listed(values: readonly string[]): string {
  return `[${values.map((value) => `'${value}'`).join(', ')}]`;
}

function isA(resources: readonly string[]): string {
  return resources.length === 1
    ? `request.resource.resource == ${listed(resources).slice(1, -1)}`
    : `request.resource.resource in ${listed(resources)}`;
}
