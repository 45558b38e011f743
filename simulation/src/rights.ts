import type { JsonObject } from '@hawser/json';
import {
  type APIServiceExport,
  type APIServiceNamespace,
  conditionTypes,
  hawserAnnotations,
  isConditionTrue,
} from '@hawser/kube-bind';
import { extraOf, type Binding } from './names.js';
import { clusterNamespaceOf } from './provider-site.js';
import { SECRETS } from './secret-sample.js';
import type { Settings } from './settings.js';
import type { SimCluster } from './sim-cluster.js';

/** Actual rights of one consumer on one resource in one provider namespace, and the rights by its exports. */
export interface RightView {
  /** For people: consumer, rights and place. */
  readonly what: string;
  readonly may: readonly string[];
  readonly wanted: readonly string[];
}

const VERBS = ['get', 'list', 'create', 'update', 'patch', 'delete'] as const;
const READING = ['get', 'list'] as const;
const OBJECTS = ['get', 'list', 'create', 'patch', 'delete'] as const;
const EXPORTS = { group: 'kube-bind.io', resource: 'apiserviceexports' };
const SERVICE_NAMESPACES = { group: 'kube-bind.io', resource: 'apiservicenamespaces' };
const NAMESPACES = { group: '', resource: 'namespaces' };

interface Resource {
  readonly group: string;
  readonly resource: string;
}

/**
 * Every relevant right of every consumer at one provider: asks its API server, and reads the exports. Reads no RBAC
 * object.
 */
export function* rightsOf(
  cluster: SimCluster,
  binding: Binding,
  consumers: readonly string[],
  { isolation }: Pick<Settings, 'isolation'>,
): Generator<RightView> {
  const { objects } = cluster;
  const all = objects.list(NAMESPACES).map(({ metadata }) => (metadata as { readonly name?: string }).name ?? '');
  const extra = extraOf(binding);
  for (const consumer of consumers) {
    const home = clusterNamespaceOf(consumer);
    const exports = objects
      .list(EXPORTS)
      .map((one) => one as JsonObject & APIServiceExport)
      .filter((one) => one.metadata.namespace === home && isInForce(one));
    const serviceNamespaces = new Set(
      objects
        .list(SERVICE_NAMESPACES)
        .map((one) => one as JsonObject & APIServiceNamespace)
        .filter(({ metadata }) => metadata.namespace === home)
        .map(({ status }) => status?.namespace ?? ''),
    );
    const offers = ({ group, resource }: Resource): boolean =>
      exports.some(({ spec }) => spec.resources.some((one) => one.group === group && one.resource === resource));
    const claims = exports.some(({ spec }) =>
      (spec.permissionClaims ?? []).some(({ resource }) => resource === 'secrets'),
    );
    const subject = `system:serviceaccount:${home}:kube-binder`;
    const user = {
      name: subject,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${home}`, 'system:authenticated'],
    };
    // The empty namespace stands for the whole cluster.
    for (const namespace of ['', ...all]) {
      for (const resource of [
        { group: binding.group, resource: binding.plural },
        { group: extra.group, resource: extra.plural },
      ]) {
        const wanted = !offers(resource)
          ? []
          : isolation !== 'Namespaced'
            ? serviceNamespaces.has(namespace)
              ? OBJECTS
              : []
            : namespace === home
              ? OBJECTS
              : ['list'];
        yield {
          what: `${home} with ${resource.resource} in ${namespace === '' ? 'all namespaces' : namespace}`,
          may: VERBS.filter((verb) => cluster.allows(user, verb, resource, namespace)),
          wanted,
        };
      }
      const wanted = claims && serviceNamespaces.has(namespace) ? VERBS : namespace === home ? READING : [];
      yield {
        what: `${home} with Secrets in ${namespace === '' ? 'all namespaces' : namespace}`,
        may: VERBS.filter((verb) => cluster.allows(user, verb, SECRETS, namespace)),
        wanted,
      };
    }
  }
}

function isInForce({ metadata, status }: APIServiceExport): boolean {
  return (
    metadata.deletionTimestamp === undefined &&
    (metadata.annotations?.[hawserAnnotations.withdrawn] ?? '') === '' &&
    !isConditionTrue(status?.conditions, conditionTypes.unbound)
  );
}
