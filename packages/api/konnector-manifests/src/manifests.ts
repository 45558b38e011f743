import type { KubeObject, Resource } from '@hawser/client';
import { fixedNames } from '@hawser/kube-bind';
import { rendered } from './rendered.js';

/** A host alias for the pods of the konnector. */
export interface HostAlias {
  readonly ip: string;
  readonly hostnames: readonly string[];
}

export interface KonnectorInstallation {
  /** Of Hawser, with tag or digest. */
  readonly image: string;
  readonly hostAliases?: readonly HostAlias[] | undefined;
}

interface PodTemplate {
  readonly spec: { readonly containers: readonly { readonly name: string; readonly image?: string }[] };
}

interface Deployment extends KubeObject {
  readonly spec: { readonly template: PodTemplate };
}

/** The Deployment of a konnector of any make. */
export const konnectorDeployment: {
  readonly resource: Resource;
  readonly key: { readonly namespace: string; readonly name: string };
} = {
  resource: { group: 'apps', version: 'v1', resource: 'deployments' },
  key: { namespace: fixedNames.konnectorNamespace, name: 'konnector' },
};

const MANAGED_BY = 'app.kubernetes.io/managed-by';
const OURS = 'hawser';

/**
 * Output of `helm template` for our chart with its defaults, in the konnector's namespace, in an order to apply it. The
 * konnector may sync what ClusterRoles with the label `rbac.hawser.dev/aggregate-to-konnector` grant, and no more.
 */
export function konnectorManifests({ image, hostAliases = [] }: KonnectorInstallation): readonly KubeObject[] {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: fixedNames.konnectorNamespace } };
  return [namespace, ...rendered.map((object) => installed(object, image, hostAliases))];
}

/** Whether a text is an image reference, as far as a check without a registry can say. */
export function isImage(text: string): boolean {
  return /^[a-z0-9][-\w./:]*(?:@sha256:[0-9a-f]{64})?$/u.test(text) && text.length <= 512;
}

/** Classifies the installed konnector. */
export type KonnectorStanding =
  | { readonly kind: 'absent' }
  /** Matches these manifests and the image. */
  | { readonly kind: 'ours'; readonly image: string | undefined }
  /** Of another make, or installed in another way: leave it alone. */
  | { readonly kind: 'foreign'; readonly by: string };

/** @param found the installed Deployment */
export function standingOf(found: KubeObject | undefined): KonnectorStanding {
  if (found === undefined) return { kind: 'absent' };
  const by = found.metadata.labels?.[MANAGED_BY];
  if (by !== OURS) return { kind: 'foreign', by: by ?? 'something else' };
  const { containers } = (found as Deployment).spec.template.spec;
  return { kind: 'ours', image: containers.find(({ name }) => name === 'konnector')?.image };
}

function installed(object: KubeObject, image: string, hostAliases: readonly HostAlias[]): KubeObject {
  if (object.kind !== 'Deployment') return object;
  const { spec } = object as Deployment;
  const pod = spec.template.spec;
  const containers = pod.containers.map((one) => (one.name === 'konnector' ? { ...one, image } : one));
  const aliases = hostAliases.length === 0 ? {} : { hostAliases };
  const template = { ...spec.template, spec: { ...pod, containers, ...aliases } };
  return { ...object, spec: { ...spec, template } } as KubeObject;
}

/**
 * Where to read and write an object of these manifests.
 * @throws RangeError for any other object
 */
export function resourceOf({ apiVersion, kind }: KubeObject): Resource {
  const resource = plurals.get(kind);
  if (resource === undefined) throw new RangeError(`${kind} is not of the manifests of the konnector`);
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/', 2) : ['', apiVersion];
  return { group: group ?? '', version: version ?? '', resource };
}

const plurals: ReadonlyMap<string, string> = new Map(
  [
    'Namespace',
    'PodDisruptionBudget',
    'ServiceAccount',
    'ConfigMap',
    'ClusterRole',
    'ClusterRoleBinding',
    'Role',
    'RoleBinding',
    'Service',
    'Deployment',
    'ValidatingAdmissionPolicy',
    'ValidatingAdmissionPolicyBinding',
  ].map((kind) => [kind, `${kind.toLowerCase().replace(/y$/u, 'ie')}s`]),
);
