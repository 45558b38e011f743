/** One rule of a role (rbac/v1 `PolicyRule`). A missing list is empty. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** A Role, or a ClusterRole if it has no namespace (rbac/v1). */
export interface Role {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly rules?: readonly PolicyRule[] | null;
  readonly aggregationRule?: AggregationRule | null;
}

/** Selects the ClusterRoles whose rules a ClusterRole aggregates (rbac/v1 `AggregationRule`). */
export interface AggregationRule {
  readonly clusterRoleSelectors?: readonly LabelSelector[];
}

/** meta/v1 `LabelSelector`. An empty one selects everything. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelRequirement[];
}

export interface LabelRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
}

/** Names a role (rbac/v1 `RoleRef`). */
export interface RoleRef {
  readonly apiGroup?: string;
  /** `ClusterRole` or `Role`; API servers know no other kinds. */
  readonly kind: string;
  readonly name: string;
}

/** A subject of a binding (rbac/v1 `Subject`). */
export interface Subject {
  readonly apiGroup?: string;
  /** `User`, `Group` or `ServiceAccount`; other kinds match no user. */
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** A RoleBinding, or a ClusterRoleBinding if it has no namespace (rbac/v1). */
export interface Binding {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly roleRef: RoleRef;
  readonly subjects?: readonly Subject[] | null;
}

/** Group of the RBAC objects. */
export const rbacApiGroup = 'rbac.authorization.k8s.io';

/** Quotes a text like Go's `%q`. */
export const quote = (text: string): string => JSON.stringify(text);

const quoteAll = (texts: readonly string[]): string => `[${texts.map(quote).join(' ')}]`;

/** Formats a rule as API servers do in errors: `{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}`. */
export const describeRule = (rule: PolicyRule): string => {
  const parts: readonly (readonly [string, readonly string[] | undefined])[] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  return `{${parts.flatMap(([name, texts = []]) => (texts.length === 0 ? [] : [`${name}:${quoteAll(texts)}`])).join(', ')}}`;
};

/** Formats texts as Go prints a list of them: `["a" "b"]`. */
export const describeTexts = quoteAll;
