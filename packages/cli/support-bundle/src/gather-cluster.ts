import type { UnstructuredObject } from '@hawser/client';
import { fixedNames as coreKbindNames, labels as coreKbindLabels } from '@hawser/core-kbind';
import { isFields } from '@hawser/json';
import { isClusterNamespace, isServiceNamespace } from '@hawser/klutch';
import { fixedNames, labels, resources } from '@hawser/kube-bind';

import { segment } from './bundle.js';
import { ownGroups } from './discovery.js';
import type { MentionedAPIs } from './gather-kinds.js';
import type { Reader } from './reader.js';
import { customResourceDefinition, event, lease, namespace, resourceQuota } from './shapes/kubernetes.js';

/** Reads the namespaces of consumers, those made for them, and their limits. */
export async function gatherNamespaces(reader: Reader, folder: string): Promise<void> {
  const { bundle } = reader.options;
  const listed = await reader.list(resources.namespaces, namespace, {
    where: (object) => isClusterNamespace(object) || isServiceNamespace(object),
  });
  if (listed === undefined || listed.items.length === 0) return;
  bundle.addJson(
    `${folder}/namespaces.json`,
    `${listed.items.length} namespaces of consumers`,
    listed.items,
    listed.incomplete,
  );
  const names = new Set(listed.items.map(nameOf));
  const quotas = await reader.listPermitted({ group: '', version: 'v1', resource: 'resourcequotas' }, resourceQuota, {
    where: ({ metadata }) => names.has(metadata.namespace),
  });
  if (quotas !== undefined)
    bundle.addJson(
      `${folder}/resourcequotas.json`,
      `${quotas.items.length} ResourceQuotas in these namespaces`,
      quotas.items,
      quotas.incomplete,
    );
}

function nameOf(item: unknown): string | undefined {
  if (!isFields(item) || !isFields(item['metadata'])) return undefined;
  const { name } = item['metadata'];
  return typeof name === 'string' ? name : undefined;
}

/** Kinds whose Events are read: only our own. Events of users' objects may quote them. */
const kindsWithEvents = [
  'APIServiceBinding',
  'APIServiceBindingBundle',
  'APIServiceExport',
  'APIServiceExportRequest',
  'APIServiceExportTemplate',
  'APIServiceNamespace',
  'BoundSchema',
  'ClusterBinding',
  'BindableResourcesRequest',
  'AppClusterBinding',
  'PublishedResource',
  'Connection',
  'Binding',
] as const;

/** Reads Events about our own kinds. */
export async function gatherEvents(reader: Reader, folder: string): Promise<void> {
  const found: unknown[] = [];
  const incomplete = new Set<string>();
  let isRead = false;
  for (const kind of kindsWithEvents) {
    const listed = await reader.listPermitted(resources.events, event, {
      fieldSelector: `involvedObject.kind=${kind}`,
      where: isAboutOwnKind,
      most: 500,
      // Events about cluster-scoped objects are there.
      alsoIn: ['default'],
    });
    // After one refusal, all others fail too.
    if (listed === undefined) break;
    isRead = true;
    found.push(...listed.items);
    if (listed.incomplete !== undefined) incomplete.add(`${kind}: ${listed.incomplete}`);
  }
  if (isRead)
    reader.options.bundle.addJson(
      `${folder}/events.json`,
      `${found.length} Events about objects of Hawser's kinds`,
      found,
      incomplete.size === 0 ? undefined : [...incomplete].join(' '),
    );
}

function isAboutOwnKind(object: UnstructuredObject): boolean {
  const about: unknown = object['involvedObject'];
  const version = isFields(about) ? about['apiVersion'] : undefined;
  return typeof version === 'string' && ownGroups.some((group) => version.startsWith(`${group}/`));
}

const LEASE = /^(?:kube-bind|klutch-bind|hawser.*|syncagent\..*|konnector\.kbind\.io)$/u;

/** Reads the Leases: which process leads, and which consumers of `core.kbind.io` are alive. */
export async function gatherLeases(reader: Reader, folder: string): Promise<void> {
  const listed = await reader.listPermitted(resources.leases, lease, {
    where: ({ metadata: { name, namespace: inNamespace } }) =>
      LEASE.test(name) || (inNamespace === coreKbindNames.namespace && name.startsWith('consumer-')),
    alsoIn: [fixedNames.konnectorNamespace, fixedNames.konnectorLeaseFallbackNamespace, coreKbindNames.namespace],
  });
  if (listed !== undefined)
    reader.options.bundle.addJson(
      `${folder}/leases.json`,
      `${listed.items.length} Leases of the roles`,
      listed.items,
      listed.incomplete,
    );
}

/** Reads bound, exported or published CRDs, one file each. `mentioned`: CRDs without a mark of their own. */
export async function gatherCRDs(reader: Reader, folder: string, { names, kinds }: MentionedAPIs): Promise<void> {
  const listed = await reader.list(resources.customResourceDefinitions, customResourceDefinition, {
    where: (object) => names.has(object.metadata.name) || kinds.has(kindOf(object)) || isMarked(object),
    most: 200,
  });
  for (const item of listed?.items ?? []) {
    const name = nameOf(item);
    if (name !== undefined)
      reader.options.bundle.addJson(
        `${folder}/crds/${segment(name)}.json`,
        'a CRD that is bound, exported or published',
        item,
      );
  }
}

/** `Database.example.com`. */
function kindOf({ spec }: UnstructuredObject): string {
  if (!isFields(spec) || !isFields(spec['names'])) return '';
  return `${String(spec['names']['kind'])}.${String(spec['group'])}`;
}

/** Made for a binding, or offered to consumers. */
function isMarked({ metadata: { ownerReferences = [], labels: found = {} } }: UnstructuredObject): boolean {
  return (
    labels.exported in found ||
    coreKbindLabels.exported in found ||
    coreKbindLabels.managed in found ||
    ownerReferences.some(({ apiVersion }) => ownGroups.some((group) => apiVersion.startsWith(`${group}/`)))
  );
}
