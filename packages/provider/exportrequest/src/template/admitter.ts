import { type Client, type KubeObject, objectKey } from '@hawser/client';
import type { Setup, ToKeys, WatchOptions } from '@hawser/controller';
import type { Informer } from '@hawser/informer';
import {
  type APIServiceExportTemplate,
  apiGroup,
  approvalWords,
  approvedTemplates,
  grantedTemplates,
  type ClusterBinding,
  type Collection,
  fixedNames,
  resources,
  wantsApproval,
} from '@hawser/kube-bind';
import { mayBind } from './access-review.js';
import { admit } from './admit.js';
import type { Admission, AdmissionMode, Asked } from './admission.js';
import { binderOf } from './binder.js';

/** Judges requests by the present templates. No watch reports a consumer's rights to bind. */
export interface Admitter {
  /** @throws {ApiError} if the API server does not say whether the consumer may bind. */
  admit(asked: Asked, signal: AbortSignal): Promise<Admission>;
  /** Whether the same unchanged template, with the same approval, would still give the admission. */
  stands(admission: Admission, asked: Asked): boolean;
}

/** Inputs of admissions. */
export interface OfferCaches {
  readonly templates: Informer<APIServiceExportTemplate>;
  /** Undefined: everything exported may be bound. */
  readonly granting:
    { readonly collections: Informer<Collection>; readonly clusterBindings: Informer<ClusterBinding> } | undefined;
}

/** `keys`: maps a change to the keys whose answer may differ. */
export function watchOffers(
  { clusters: { provider }, watch }: Setup<'provider'>,
  mode: AdmissionMode,
  keys: () => readonly string[],
  options: Pick<WatchOptions<KubeObject>, 'priority'> = {},
): OfferCaches {
  const comes: ToKeys<KubeObject> = (_, change) => (change === 'delete' ? [] : keys());
  return {
    templates: watch<APIServiceExportTemplate>(
      provider,
      { resource: resources.apiServiceExportTemplates, kind: 'APIServiceExportTemplate' },
      keys,
      options,
    ),
    granting:
      mode === 'Exported'
        ? undefined
        : {
            collections: watch<Collection>(
              provider,
              { resource: resources.collections, kind: 'Collection' },
              keys,
              options,
            ),
            clusterBindings: watch<ClusterBinding>(
              provider,
              { resource: resources.clusterBindings, kind: 'ClusterBinding' },
              comes,
              // Its status is a heartbeat; only its existence, approvals, and bindings by people count.
              { ...options, changed: (before, after) => approvalWords(before) !== approvalWords(after) },
            ),
          },
  };
}

export function createAdmitter(client: Client, { templates, granting }: OfferCaches, mode: AdmissionMode): Admitter {
  const consumerOf = ({ metadata: { namespace } }: Asked): ClusterBinding | undefined =>
    granting?.clusterBindings.get(objectKey({ namespace, name: fixedNames.clusterBinding }));
  return {
    admit(asked, signal) {
      const { namespace = '' } = asked.metadata;
      const consumer = consumerOf(asked);
      return admit(asked, {
        mode,
        offers: { templates: templates.list(), collections: granting?.collections.list() ?? [] },
        hasConsumer: consumer !== undefined,
        approved: approvedTemplates(consumer),
        granted: grantedTemplates(consumer),
        mayBind: (bindable) => mayBind(client, binderOf(namespace), { group: apiGroup, ...bindable }, signal),
      });
    },
    stands(admission, asked) {
      if (admission.kind !== 'admitted' || admission.template === undefined) return true;
      const { template } = admission;
      // Cached objects are replaced when they change, so their identity is a version.
      if (templates.get(objectKey(template)) !== template) return false;
      return (
        mode === 'Exported' ||
        !wantsApproval(template) ||
        approvedTemplates(consumerOf(asked)).has(template.metadata.name)
      );
    },
  };
}
