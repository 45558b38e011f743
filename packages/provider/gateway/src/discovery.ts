import { type Fields, isFields } from '@hawser/json';
import { groupResourceOf, resourceGroupName } from '@hawser/kube-bind';
import type { ConsumerView } from '@hawser/exportrbac';
import type { Identity } from './identity.js';

/** Reviews that every user may request about itself. */
const REVIEWS: Readonly<Record<string, readonly string[]>> = {
  'authorization.k8s.io': ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
  'authentication.k8s.io': ['selfsubjectreviews'],
};
const OWN = [
  'apiserviceexportrequests',
  'apiserviceexports',
  'apiservicenamespaces',
  'boundschemas',
  'clusterbindings',
];

/** The resources that a consumer may discover. */
export class Shown {
  readonly #identity: Identity;
  readonly #view: ConsumerView;

  constructor(identity: Identity, view: ConsumerView) {
    this.#identity = identity;
    this.#view = view;
  }

  resource(group: string, resource: string): boolean {
    const name = resourceGroupName({ group, resource });
    if (this.#view.resources.has(name) || this.#view.claims.has(name)) return true;
    if (group === '') return resource === 'namespaces' || resource === 'secrets';
    if (group === this.#identity.dialect.apiGroup) return OWN.includes(resource);
    return REVIEWS[group]?.includes(resource) === true;
  }

  /** Sorted names of a group's resources that decide the visible part, without those that all consumers see. */
  resourcesOf(group: string): readonly string[] {
    return [...this.#named]
      .filter((name) => resourceGroupName({ group, resource: groupResourceOf(name).resource }) === name)
      .sort();
  }

  group(group: string): boolean {
    if (group === '' || group === this.#identity.dialect.apiGroup || Object.hasOwn(REVIEWS, group)) return true;
    return [...this.#named].some((name) => groupResourceOf(name).group === group);
  }

  get #named(): ReadonlySet<string> {
    return new Set([...this.#view.resources.keys(), ...this.#view.claims]);
  }
}

/** `/apis` without the groups of which the consumer has no resource. Pure. */
export function shownGroups(answer: unknown, shown: Shown): unknown {
  if (!isFields(answer) || !Array.isArray(answer['groups'])) return answer;
  const groups = (answer['groups'] as unknown[]).filter(
    (group) => isFields(group) && typeof group['name'] === 'string' && shown.group(group['name']),
  );
  return { ...answer, groups };
}

/** `/apis/<group>/<version>` without the resources that the consumer does not have. Pure. */
export function shownResources(answer: unknown, group: string, shown: Shown): unknown {
  if (!isFields(answer) || !Array.isArray(answer['resources'])) return answer;
  const resources = (answer['resources'] as unknown[]).filter(
    (resource) =>
      isFields(resource) &&
      typeof resource['name'] === 'string' &&
      shown.resource(group, resource['name'].split('/')[0] ?? ''),
  );
  return { ...answer, resources };
}

/** `/openapi/v3` without the groups of which the consumer has no resource. Pure. */
export function shownIndex(answer: unknown, shown: Shown): unknown {
  if (!isFields(answer) || !isFields(answer['paths'])) return { paths: {} };
  const paths = Object.entries(answer['paths']).filter(([path]) => {
    const [root, group = '', version] = path.split('/');
    return (root === 'apis' && version !== undefined && shown.group(group)) || path === 'api/v1';
  });
  return { paths: Object.fromEntries(paths) };
}

/** An OpenAPI document of one version with the paths and schemas of the consumer's resources. Pure. */
export function shownDocument(answer: unknown, group: string, shown: Shown): unknown {
  if (!isFields(answer) || !isFields(answer['paths'])) return {};
  const paths = Object.fromEntries(
    Object.entries(answer['paths']).filter(([path]) => shown.resource(group, resourceOfPath(path))),
  );
  const components = isFields(answer['components']) ? answer['components'] : {};
  const schemas = isFields(components['schemas']) ? components['schemas'] : {};
  const { openapi, info } = answer;
  return { openapi, info, paths, components: { schemas: referred(paths, schemas) } };
}

/** `/apis/example.com/v1/namespaces/{namespace}/databases/{name}`: `databases`. */
function resourceOfPath(path: string): string {
  const [, root, ...below] = path.split('/');
  const [first = '', parameter, resource] = below.slice(root === 'api' ? 1 : 2);
  return first === 'namespaces' && parameter === '{namespace}' && resource !== undefined ? resource : first;
}

const REFERENCE = '#/components/schemas/';

/** The referenced schemas, and those that they reference in turn. */
function referred(paths: Fields, schemas: Fields): Fields {
  const found = new Map<string, unknown>();
  const open: unknown[] = [paths];
  while (open.length > 0) {
    const next = open.pop();
    if (Array.isArray(next)) open.push(...(next as unknown[]));
    else if (isFields(next)) open.push(...Object.values(next));
    else if (typeof next === 'string' && next.startsWith(REFERENCE)) {
      const name = next.slice(REFERENCE.length);
      if (found.has(name) || !Object.hasOwn(schemas, name)) continue;
      found.set(name, schemas[name]);
      open.push(schemas[name]);
    }
  }
  return Object.fromEntries(found);
}
