import { createHash } from 'node:crypto';
import type { JsonObject } from '@hawser/json';
import { apiVersionOf } from '../object/meta.js';
import type { ResourceInfo, SubresourceInfo } from '../parts.js';

/** An API group in discovery. */
export interface ServedGroup {
  readonly name: string;
  readonly versions: readonly ServedVersion[];
}

export interface ServedVersion {
  readonly group: string;
  readonly version: string;
  /** By name. */
  readonly resources: readonly ResourceInfo[];
}

/** In the order of kube-aggregator's priorities; all others follow by name. */
const knownGroups = [
  '',
  'apiregistration.k8s.io',
  'apps',
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'storage.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'scheduling.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
  'discovery.k8s.io',
];

const rankOf = (group: string): number =>
  knownGroups.includes(group) ? knownGroups.indexOf(group) : knownGroups.length;
const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Served resources by group and version. The core group, with an empty name, comes first. */
export function servedGroups(resources: readonly ResourceInfo[]): readonly ServedGroup[] {
  const names = [...new Set(resources.map(({ group }) => group))].sort((a, b) => rankOf(a) - rankOf(b) || byText(a, b));
  return names.map((name) => {
    const ofGroup = resources.filter(({ group }) => group === name);
    const versions = [...new Set(ofGroup.map(({ version }) => version))].sort(compareVersions);
    return {
      name,
      versions: versions.map((version) => ({
        group: name,
        version,
        resources: ofGroup
          .filter((resource) => resource.version === version)
          .sort((a, b) => byText(a.resource, b.resource)),
      })),
    };
  });
}

/** `APIGroup`, as an entry of `APIGroupList`; the first version is preferred. */
export function apiGroup({ name, versions }: ServedGroup): JsonObject {
  const entries = versions.map(({ group, version }) => ({ groupVersion: apiVersionOf(group, version), version }));
  return { name, versions: entries, preferredVersion: entries[0] };
}

/** `APIResourceList` of one version. */
export function apiResourceList({ group, version, resources }: ServedVersion): JsonObject {
  // The core group's list never has an apiVersion.
  const head = group === '' ? { kind: 'APIResourceList' } : { kind: 'APIResourceList', apiVersion: 'v1' };
  return { ...head, groupVersion: apiVersionOf(group, version), resources: resources.flatMap(apiResources) };
}

/** Custom resources have their own order of verbs. */
const customVerbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

function verbsOf({ builtIn, verbs }: ResourceInfo): readonly string[] {
  return builtIn ? verbs : customVerbs.filter((verb) => verbs.includes(verb));
}

function apiResources(resource: ResourceInfo): readonly JsonObject[] {
  const { singular, namespaced, kind, shortNames, categories } = resource;
  const verbs = verbsOf(resource);
  const own = isVirtual(resource)
    ? []
    : [
        {
          name: resource.resource,
          singularName: singular,
          namespaced,
          kind,
          verbs,
          ...(shortNames.length === 0 ? {} : { shortNames }),
          ...(categories.length === 0 ? {} : { categories }),
          ...(verbs.includes('get') ? { storageVersionHash: storageVersionHash(resource) } : {}),
        },
      ];
  return [
    ...own,
    ...subresourcesOf(resource).map((subresource) => ({
      name: `${resource.resource}/${subresource.name}`,
      singularName: '',
      namespaced,
      ...(isOfOtherVersion(resource, subresource) ? { group: subresource.group, version: subresource.version } : {}),
      kind: subresource.kind,
      verbs: subresource.verbs,
    })),
  ];
}

/** A resource that exists only for its subresources. */
const isVirtual = ({ verbs }: ResourceInfo): boolean => verbs.length === 0;

/** CRDs list `status` before `scale`; built-in kinds by name. */
function subresourcesOf({ builtIn, subresources }: ResourceInfo): readonly SubresourceInfo[] {
  return [...subresources].sort((a, b) => (builtIn ? byText(a.name, b.name) : byText(b.name, a.name)));
}

const isOfOtherVersion = (resource: ResourceInfo, { group, version }: SubresourceInfo): boolean =>
  group !== resource.group || version !== resource.version;

/** Shows clients whether resources share their storage (apiserver `discovery.StorageVersionHash`). */
function storageVersionHash({ group, storageVersion, kind }: ResourceInfo): string {
  return createHash('sha256').update(`${group}/${storageVersion}/${kind}`).digest().subarray(0, 8).toString('base64');
}

/** `APIGroupDiscovery` of `apidiscovery.k8s.io/v2`. */
export function apiGroupDiscovery({ name, versions }: ServedGroup): JsonObject {
  return {
    metadata: name === '' ? {} : { name },
    versions: versions.map(({ version, resources }) => ({
      version,
      resources: resources.filter((resource) => !isVirtual(resource)).map(resourceDiscovery),
      freshness: 'Current',
    })),
  };
}

function resourceDiscovery(resource: ResourceInfo): JsonObject {
  const { singular, namespaced, kind, shortNames, categories, builtIn, group, version } = resource;
  const verbs = verbsOf(resource);
  // Built-in kinds omit a group and version equal to their own.
  const own = builtIn ? { group: '', version: '' } : { group, version };
  const subresources = subresourcesOf(resource).map((subresource) => ({
    subresource: subresource.name,
    responseKind: {
      ...(isOfOtherVersion(resource, subresource) ? { group: subresource.group, version: subresource.version } : own),
      kind: subresource.kind,
    },
    verbs: subresource.verbs,
  }));
  return {
    resource: resource.resource,
    responseKind: { ...own, kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}

const kubeVersion = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/;

/** `v2`, `v1`, `v1beta1`, `v1alpha1`, then others by name (apimachinery `version.CompareKubeAwareVersionStrings`). */
function compareVersions(a: string, b: string): number {
  const [left, right] = [kubeVersion.exec(a), kubeVersion.exec(b)];
  if (left === null || right === null) return left === right ? byText(a, b) : left === null ? 1 : -1;
  const stability = (kind: string | undefined): number => (kind === undefined ? 0 : kind === 'beta' ? 1 : 2);
  return (
    stability(left[2]) - stability(right[2]) ||
    Number(right[1]) - Number(left[1]) ||
    Number(right[3] ?? 0) - Number(left[3] ?? 0)
  );
}
