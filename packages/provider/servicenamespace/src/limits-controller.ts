import type { Client, KubeObject, ObjectKey, Resource } from '@hawser/client';
import { type Controller, controller, type Setup, type Watched } from '@hawser/controller';
import { canonical } from '@hawser/json';
import { resources } from '@hawser/kube-bind';
import { createHash } from 'node:crypto';
import {
  type ConsumerLimits,
  decideLimits,
  type LimitAction,
  type LimitKind,
  limitName,
  type LimitSpec,
  type LimitTemplate,
  type LimitTemplates,
  templateHashAnnotation,
} from './limits.js';

const fieldManager = 'hawser-consumer-limits';
const kinds: Readonly<Record<LimitKind, Resource>> = {
  ResourceQuota: { group: '', version: 'v1', resource: 'resourcequotas' },
  LimitRange: { group: '', version: 'v1', resource: 'limitranges' },
};

/**
 * Keeps each consumer from exhausting the provider: puts a ResourceQuota and a LimitRange, by templates, into each
 * cluster namespace and each namespace made for a consumer. A foreign object of that name, and one edited since, stay
 * unchanged. Deletes nothing.
 */
export function createConsumerLimitsController(limits: ConsumerLimits): Controller<'provider'> {
  const templates: LimitTemplates = {
    clusterNamespace: templatesOf(limits.clusterNamespace),
    serviceNamespace: templatesOf(limits.serviceNamespace),
  };

  return controller('consumer-limits', ({ clusters: { provider }, watch }: Setup<'provider'>) => {
    const namespaces = watch(
      provider,
      { resource: resources.namespaces, kind: 'Namespace', projection: 'metadata' },
      ({ metadata }) => metadata.name,
    );
    const ofName = (kind: LimitKind): Watched<KubeObject> =>
      watch(
        provider,
        { resource: kinds[kind], kind, fieldSelector: `metadata.name=${limitName}`, projection: 'metadata' },
        ({ metadata }) => metadata.namespace,
      );
    const existing = { ResourceQuota: ofName('ResourceQuota'), LimitRange: ofName('LimitRange') };
    return {
      concurrency: 2,
      fieldManager,
      observe(namespace) {
        const key = { namespace, name: limitName };
        return {
          key,
          namespace: namespaces.get(namespace),
          existing: { ResourceQuota: existing.ResourceQuota.get(key), LimitRange: existing.LimitRange.get(key) },
        };
      },
      decide: (seen) => ({ actions: decideLimits(templates, seen.namespace, seen.existing) }),
      act: (action, signal, { key }) => writeLimit(provider.client, existing[action.kind], key, action, signal),
    };
  });
}

/** Writes a limit as its template says. Replaces instead of merging: a removed limit must not stay. */
async function writeLimit(
  client: Client,
  existing: Watched<KubeObject>,
  key: ObjectKey,
  action: LimitAction,
  signal: AbortSignal,
): Promise<void> {
  const {
    kind,
    template: { spec, hash },
  } = action;
  if (action.type === 'create') {
    const object: KubeObject = {
      apiVersion: 'v1',
      kind,
      metadata: { ...key, annotations: { [templateHashAnnotation]: hash } },
      spec,
    } as KubeObject;
    await existing.create(object, signal);
    return;
  }
  const { uid, resourceVersion } = action.existing.metadata;
  const operations = [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
    { op: 'replace', path: '/spec', value: spec },
    { op: 'add', path: `/metadata/annotations/${templateHashAnnotation.replace('/', '~1')}`, value: hash },
  ];
  existing.observe(
    await client.patch(
      kinds[kind],
      key,
      { type: 'json', operations },
      { fieldManager, representation: 'metadata', signal },
    ),
  );
}

function templatesOf(
  templates: { readonly resourceQuota?: LimitSpec | undefined; readonly limitRange?: LimitSpec | undefined } = {},
): Readonly<Partial<Record<LimitKind, LimitTemplate>>> {
  const { resourceQuota, limitRange } = templates;
  return {
    ...(resourceQuota === undefined ? {} : { ResourceQuota: templateOf(resourceQuota) }),
    ...(limitRange === undefined ? {} : { LimitRange: templateOf(limitRange) }),
  };
}

function templateOf(spec: LimitSpec): LimitTemplate {
  return { spec, hash: createHash('sha256').update(canonical(spec)).digest('hex') };
}
