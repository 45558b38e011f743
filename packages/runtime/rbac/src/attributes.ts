import type { PolicyRule } from './policy-rule.js';

/** The user of a request. */
export interface User {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  /** Passed on; RBAC ignores it. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** A request on a resource of the API. */
export interface ResourceAttributes {
  readonly verb: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  /** Empty, or missing, at the cluster scope and across all namespaces. */
  readonly namespace?: string;
  /** Empty, or missing, for requests that name no object: `create`, `list`, `watch`, `deletecollection`. */
  readonly name?: string;
}

/** A request on any other path of the server: `/healthz`. */
export interface NonResourceAttributes {
  readonly verb: string;
  readonly path: string;
}

export type Attributes = ResourceAttributes | NonResourceAttributes;

const pathMatches = (pattern: string, path: string): boolean =>
  pattern === '*' || pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, '')));

const includes = (texts: readonly string[] | undefined, text: string): boolean =>
  texts?.includes('*') === true || texts?.includes(text) === true;

const resourceMatches = (resources: readonly string[], resource: string, subresource: string): boolean =>
  subresource === ''
    ? includes(resources, resource)
    : includes(resources, `${resource}/${subresource}`) || resources.includes(`*/${subresource}`);

/** Whether a rule alone allows a request. */
export const ruleAllows = (rule: PolicyRule, attributes: Attributes): boolean => {
  if (!includes(rule.verbs, attributes.verb)) {
    return false;
  }
  if ('path' in attributes) {
    return (rule.nonResourceURLs ?? []).some((pattern) => pathMatches(pattern, attributes.path));
  }
  const { group, resource, subresource = '', name = '' } = attributes;
  const names = rule.resourceNames ?? [];
  return (
    includes(rule.apiGroups, group) &&
    resourceMatches(rule.resources ?? [], resource, subresource) &&
    (names.length === 0 || names.includes(name))
  );
};
