import { type Client, type KubeObject, type ObjectKey, objectKey } from '@hawser/client';
import type { ControllerContext, Scope, Setup, ToKeys } from '@hawser/controller';
import type { Informer, InformerHandle } from '@hawser/informer';
import { type APIServiceExportTemplate, apiGroup, type ClusterBinding, type Collection, fixedNames, resources } from '@hawser/kube-bind';
import { mayBind } from './access-review.js';
import { admit } from './admit.js';
import type { Admission, AdmissionMode, Asked } from './admission.js';
import { binderOf } from './binder.js';

/** Judges requests by the templates that there are. What the API server lets a consumer bind, no watch tells. */
export interface Admitter {
  /** @throws {ApiError} if the API server does not say whether the consumer may bind. */
  admit(asked: Asked, signal: AbortSignal): Promise<Admission>;
  /** Whether an admission would still be given by the same template, as that was. */
  stands(admission: Admission): boolean;
}

/** What admissions rest on. */
export interface OfferCaches {
  readonly templates: Informer<APIServiceExportTemplate>;
  /** Undefined where everything that is exported may be bound. */
  readonly granting: { readonly collections: Informer<Collection>; readonly clusterBindings: Informer<ClusterBinding> } | undefined;
}

/** `keys`: those for which the answer may be another one when something of this changes. */
export function watchOffers({ clusters: { provider }, watch }: Setup<'provider'>, mode: AdmissionMode, keys: () => readonly string[]): OfferCaches {
  // Its status is a heartbeat; only that there is one counts.
  const comes: ToKeys<KubeObject> = (_, change) => (change === 'create' ? keys() : []);
  return {
    templates: watch<APIServiceExportTemplate>(provider, { resource: resources.apiServiceExportTemplates, kind: 'APIServiceExportTemplate' }, keys),
    granting: mode === 'Exported' ? undefined : {
      collections: watch<Collection>(provider, { resource: resources.collections, kind: 'Collection' }, keys),
      clusterBindings: watch<ClusterBinding>(provider, { resource: resources.clusterBindings, kind: 'ClusterBinding' }, comes, { changed: () => false }),
    },
  };
}

export function createAdmitter(client: Client, { templates, granting }: OfferCaches, mode: AdmissionMode): Admitter {
  const clusterBindingOf = (namespace: string): ObjectKey => ({ namespace, name: fixedNames.clusterBinding });
  return {
    admit(asked, signal) {
      const { namespace = '' } = asked.metadata;
      return admit(asked, {
        mode,
        offers: { templates: templates.list(), collections: granting?.collections.list() ?? [] },
        hasConsumer: granting?.clusterBindings.get(objectKey(clusterBindingOf(namespace))) !== undefined,
        mayBind: (bindable) => mayBind(client, binderOf(namespace), { group: apiGroup, ...bindable }, signal),
      });
    },
    stands(admission) {
      const template = admission.kind === 'admitted' ? admission.template : undefined;
      // Cached objects are replaced when they change, so their identity is a version.
      return template === undefined || templates.get(objectKey(template)) === template;
    },
  };
}

/** An admitter, with its caches, for a controller that is made by hand. `handler` is called when the answers may be others. */
export function openAdmitter({ clusters: { provider: { client, informers } } }: ControllerContext<'provider'>, scope: Scope, mode: AdmissionMode): Admitter & { onChange(handler: () => void): void } {
  const templates: InformerHandle<APIServiceExportTemplate> = scope.informer(informers.acquire<APIServiceExportTemplate>({ resource: resources.apiServiceExportTemplates }));
  const granting = mode === 'Exported' ? undefined : {
    collections: scope.informer(informers.acquire<Collection>({ resource: resources.collections })),
    clusterBindings: scope.informer(informers.acquire<ClusterBinding>({ resource: resources.clusterBindings })),
  };
  return {
    ...createAdmitter(client, { templates, granting }, mode),
    onChange(handler) {
      scope.onChange<KubeObject>(templates, handler);
      if (granting === undefined) return;
      scope.onChange<KubeObject>(granting.collections, handler);
      scope.own(granting.clusterBindings.addHandler({ onAdd: handler, onUpdate: () => undefined, onDelete: () => undefined }));
    },
  };
}
