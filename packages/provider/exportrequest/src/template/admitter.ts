import { type KubeObject, type ObjectKey, objectKey } from '@hawser/client';
import type { ControllerContext, Scope } from '@hawser/controller';
import { type APIServiceExportTemplate, apiGroup, type ClusterBinding, type Collection, fixedNames, resources } from '@hawser/kube-bind';
import { mayBind } from './access-review.js';
import { admit } from './admit.js';
import type { Admission, AdmissionMode, Asked } from './admission.js';
import { binderOf } from './binder.js';

/** Judges requests by the templates that there are. */
export interface Admitter {
  /** @throws {ApiError} if the API server does not say whether the consumer may bind. */
  admit(asked: Asked, signal: AbortSignal): Promise<Admission>;
  /** Whether an admission would still be given by the same template, as that was. */
  stands(admission: Admission): boolean;
  /** `handler` is called when the answers may be others; what the API server lets a consumer bind is told by nobody. */
  onChange(handler: () => void): void;
}

/** Its caches are filled when those of `scope` are. */
export function openAdmitter({ clusters: { provider: { client, informers } } }: ControllerContext<'provider'>, scope: Scope, mode: AdmissionMode): Admitter {
  const templates = scope.informer(informers.acquire<APIServiceExportTemplate>({ resource: resources.apiServiceExportTemplates }));
  const granting = mode === 'Exported' ? undefined : {
    collections: scope.informer(informers.acquire<Collection>({ resource: resources.collections })),
    clusterBindings: scope.informer(informers.acquire<ClusterBinding>({ resource: resources.clusterBindings })),
  };
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
    onChange(handler) {
      scope.onChange<KubeObject>(templates, handler);
      if (granting === undefined) return;
      scope.onChange<KubeObject>(granting.collections, handler);
      // Its status is a heartbeat; only that there is one counts.
      scope.own(granting.clusterBindings.addHandler({ onAdd: handler, onUpdate: () => undefined, onDelete: () => undefined }));
    },
  };
}
