// spec/api-syncagent.md §1, §3.1, §3.2.

/** Whether `name` can be the name of a logical cluster: no path with colons, except the system's own. */
export function isLogicalClusterName(name: string): boolean {
  return /^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/u.test(name) || /^system:[a-z0-9:-]+$/u.test(name);
}

/** Parts of an APIResourceSchema's name. `group` is empty for the core API. */
export interface SchemaNameParts {
  readonly prefix: string;
  readonly resource: string;
  readonly group: string;
}

/** Splits `v1.databases.example.com`; undefined with fewer than three parts. */
export function parseSchemaName(name: string): SchemaNameParts | undefined {
  const match = /^(?<prefix>[^.]*)\.(?<resource>[^.]*)\.(?<group>.*)$/u.exec(name);
  const { prefix, resource, group } = match?.groups ?? {};
  if (prefix === undefined || resource === undefined || group === undefined) return undefined;
  return { prefix, resource, group: group === coreGroup ? '' : group };
}

/** Joins the parts; writes the core API as `core`, as kcp wants it. */
export function formatSchemaName({ prefix, resource, group }: SchemaNameParts): string {
  return `${prefix}.${resource}.${group === '' ? coreGroup : group}`;
}

const coreGroup = 'core';

/** Prefixes of the names of APIResourceSchemas. */
export const schemaPrefixPattern = /^[a-z]([-a-z0-9]*[a-z0-9])?$/u;

/** Version names that kcp accepts. */
export const versionNamePattern = /^v[1-9][0-9]*([a-z]+[1-9][0-9]*)?$/u;

/** Resources and kinds of these groups need {@link approvalAnnotation}. */
export function isProtectedGroup(group: string): boolean {
  return ['k8s.io', 'kubernetes.io'].some((domain) => group === domain || group.endsWith(`.${domain}`));
}

/** On a CRD or an APIResourceSchema of a protected group: where its API was approved. */
export const approvalAnnotation = 'api-approved.kubernetes.io';
