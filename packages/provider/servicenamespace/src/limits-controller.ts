import { isAlreadyExists, type KubeObject, type Resource } from '@hawser/client';
import { type Controller, createController, done, type Result } from '@hawser/controller';
import { canonical } from '@hawser/json';
import { resources } from '@hawser/kube-bind';
import { createHash } from 'node:crypto';
import { type ConsumerLimits, decideLimits, type LimitAction, type LimitKind, limitName, type LimitSpec, type LimitTemplate, type LimitTemplates, templateHashAnnotation } from './limits.js';

const name = 'consumer-limits';
const fieldManager = 'hawser-consumer-limits';
const kinds: Readonly<Record<LimitKind, Resource>> = {
  ResourceQuota: { group: '', version: 'v1', resource: 'resourcequotas' },
  LimitRange: { group: '', version: 'v1', resource: 'limitranges' },
};

/**
 * Puts a ResourceQuota and a LimitRange, as the templates say, into each cluster namespace and each namespace that was made for a consumer, so that no consumer exhausts the provider.
 * An object of that name that it did not make, and one that was edited since, stay as they are; nothing is deleted.
 */
export function createConsumerLimitsController(limits: ConsumerLimits): Controller<'provider'> {
  const templates: LimitTemplates = {
    clusterNamespace: templatesOf(limits.clusterNamespace),
    serviceNamespace: templatesOf(limits.serviceNamespace),
  };

  return createController<'provider'>(name, async (ctx, scope) => {
    const { client, informers } = ctx.clusters.provider;
    const namespaces = scope.informer(informers.acquire<KubeObject>({ resource: resources.namespaces, projection: 'metadata' }));
    const ofName = (resource: Resource) => scope.informer(informers.acquire<KubeObject>({ resource, fieldSelector: `metadata.name=${limitName}`, projection: 'metadata' }));
    const existing = { ResourceQuota: ofName(kinds.ResourceQuota), LimitRange: ofName(kinds.LimitRange) };
    const queue = scope.openQueue({ name, concurrency: 2, reconcile });
    scope.onChange(namespaces, ({ metadata }) => { queue.add(metadata.name); });
    for (const informer of Object.values(existing)) scope.onChange(informer, ({ metadata }) => { queue.add(metadata.namespace ?? ''); });
    await scope.synced();

    async function reconcile(namespace: string, signal: AbortSignal): Promise<Result> {
      const key = { namespace, name: limitName };
      const found = { ResourceQuota: existing.ResourceQuota.get(key), LimitRange: existing.LimitRange.get(key) };
      const present = Object.fromEntries(Object.entries(found).filter(([, object]) => object !== undefined));
      for (const action of decideLimits(templates, namespaces.get(namespace), present)) {
        ctx.logger.info('The limits of a namespace are written.', { namespace, kind: action.kind, action: action.type });
        await write(namespace, action, signal);
      }
      return done;
    }

    async function write(namespace: string, action: LimitAction, signal: AbortSignal): Promise<void> {
      const { kind, template: { spec, hash } } = action;
      const annotations = { [templateHashAnnotation]: hash };
      if (action.type === 'update') {
        const { uid, resourceVersion } = action.existing.metadata;
        // Not merged: what a template no longer says is no limit any more.
        const operations = [
          { op: 'test', path: '/metadata/uid', value: uid }, { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
          { op: 'replace', path: '/spec', value: spec }, { op: 'add', path: `/metadata/annotations/${templateHashAnnotation.replace('/', '~1')}`, value: hash },
        ];
        existing[kind].observe(await client.patch(kinds[kind], { namespace, name: limitName }, { type: 'json', operations }, { fieldManager, representation: 'metadata', signal }));
        return;
      }
      try {
        const object: KubeObject = { apiVersion: 'v1', kind, metadata: { name: limitName, namespace, annotations }, spec } as KubeObject;
        existing[kind].observe(await client.create<KubeObject>(kinds[kind], object, { fieldManager, representation: 'metadata', signal }));
      } catch (error) {
        // The cache lags behind; the watch will tell.
        if (!isAlreadyExists(error)) throw error;
      }
    }
  });
}

function templatesOf(templates: { readonly resourceQuota?: LimitSpec | undefined; readonly limitRange?: LimitSpec | undefined } = {}): Readonly<Partial<Record<LimitKind, LimitTemplate>>> {
  const { resourceQuota, limitRange } = templates;
  return { ...(resourceQuota === undefined ? {} : { ResourceQuota: templateOf(resourceQuota) }), ...(limitRange === undefined ? {} : { LimitRange: templateOf(limitRange) }) };
}

function templateOf(spec: LimitSpec): LimitTemplate {
  return { spec, hash: createHash('sha256').update(canonical(spec)).digest('hex') };
}
