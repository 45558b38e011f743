import { type Client, type KubeObject, objectKey } from '@hawser/client';
import type { Setup, Watched, WatchOptions } from '@hawser/controller';
import type { Informer } from '@hawser/informer';
import { type APIServiceExportTemplate, catalogueGroup, klutchDialect } from '@hawser/klutch';
import {
  approvalWords,
  approvedTemplates,
  fixedNames,
  grantedTemplates,
  resourceGroupName,
  wantsApproval,
} from '@hawser/kube-bind';
import type { AdmissionMode } from '../template/admission.js';
import { mayBind } from '../template/access-review.js';
import { binderOf } from '../template/binder.js';
import type { ObservedResource, Unapproved } from './decide-inline-request.js';

interface InlineOffersOptions {
  readonly client: Client;
  readonly templates: Informer<APIServiceExportTemplate>;
  /** ClusterBindings of consumers; undefined: consumers may bind everything that is offered. */
  readonly clusterBindings: Informer<KubeObject> | undefined;
}

/** The offer for a resource, or the reason why there is none. */
export type InlineOffer = Pick<ObservedResource, 'template' | 'unapproved' | 'forbidden'>;

const byResource = 'inline/resource';

/** The templates of Klutch, each of which selects one CRD. */
export class InlineOffers {
  readonly #options: InlineOffersOptions;

  constructor(options: InlineOffersOptions) {
    this.#options = options;
    options.templates.addIndex(byResource, ({ spec }) => [resourceGroupName(spec.APIServiceSelector)]);
  }

  /**
   * The first template by name that offers a resource, that the consumer of that namespace may bind, and that is
   * approved if it must be. @throws the client's ApiError
   */
  async of(namespace: string, resource: string, signal: AbortSignal): Promise<InlineOffer> {
    const { templates, clusterBindings } = this.#options;
    const offered = [...templates.byIndex(byResource, resource)].sort((one, other) =>
      objectKey(one) < objectKey(other) ? -1 : 1,
    );
    const forbidden: string[] = [];
    let unapproved: Unapproved | undefined;
    for (const template of offered) {
      if (clusterBindings === undefined) return { template, forbidden };
      const consumer = clusterBindings.get({ namespace, name: fixedNames.clusterBinding });
      // By the right of the person who bound it, or by the consumer's own.
      const isGranted = grantedTemplates(consumer).has(objectKey(template));
      if (!isGranted && !(await this.#mayBind(namespace, template, signal))) {
        forbidden.push(objectKey(template));
        continue;
      }
      if (!wantsApproval(template)) return { template, forbidden };
      const approved = approvedTemplates(consumer);
      if (approved.has(objectKey(template))) return { template, forbidden };
      unapproved ??= { template: objectKey(template), approved, namespace };
    }
    return { template: undefined, unapproved, forbidden };
  }

  #mayBind(namespace: string, { metadata }: KubeObject, signal: AbortSignal): Promise<boolean> {
    return mayBind(
      this.#options.client,
      binderOf(namespace, klutchDialect.names.binder),
      {
        group: catalogueGroup,
        resource: 'apiserviceexporttemplates',
        name: metadata.name,
        namespace: metadata.namespace,
      },
      signal,
    );
  }
}

export interface OfferWatch {
  readonly admission: AdmissionMode;
  /** The keys that the offers of a resource concern. */
  readonly offering: (resource: string) => readonly string[];
  /** The keys that the approvals of a consumer concern, by its namespace. */
  readonly ofConsumer: (namespace: string) => readonly string[];
  readonly priority?: WatchOptions<KubeObject>['priority'];
}

/** Watches the inputs of offers. */
export function watchInlineOffers(
  { clusters: { provider }, watch }: Setup<'provider'>,
  { admission, offering, ofConsumer, priority }: OfferWatch,
): InlineOffers {
  const { apiServiceExportTemplates, clusterBindings } = klutchDialect.resources;
  const watchConsumers = (): Watched<KubeObject> =>
    watch(
      provider,
      { resource: clusterBindings, kind: 'ClusterBinding' },
      ({ metadata: { namespace = '' } }) => ofConsumer(namespace),
      // Its status is a heartbeat.
      { priority, changed: (before, after) => approvalWords(before) !== approvalWords(after) },
    );
  return new InlineOffers({
    client: provider.client,
    templates: watch<APIServiceExportTemplate>(
      provider,
      { resource: apiServiceExportTemplates, kind: 'APIServiceExportTemplate' },
      ({ spec }) => offering(resourceGroupName(spec.APIServiceSelector)),
      { priority },
    ),
    clusterBindings: admission === 'Exported' ? undefined : watchConsumers(),
  });
}
