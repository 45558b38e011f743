import { klutchDialect, dialects, labels as klutchLabels } from '@hawser/klutch';

/** Terms in the expressions of the policy for the provider role. */
export interface PolicyWords {
  /** ServiceAccounts of consumers. */
  readonly binders: readonly string[];
  /** Names of their tokens. */
  readonly tokenNames: readonly string[];
  /** Annotations of cluster namespaces. */
  readonly identities: readonly string[];
  /** Annotations of service namespaces. */
  readonly services: readonly string[];
  /** API groups of the dialects. */
  readonly groups: readonly string[];
  /** Expression: whether requests are answered in the object's namespace. */
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

/** Expression: whether a map has one of the keys. The next functions return expressions too. */
export function anyIn(map: string, keys: readonly string[]): string {
  return keys.map((key) => `'${key}' in ${map}`).join(' || ');
}

/** Whether labels are those of an AppClusterBinding's root namespace. */
export function isRoot(map: string): string {
  return anyIn(map, [klutchLabels.appClusterBindingName]);
}

/** Applies an expression to objects of these resources only. */
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
