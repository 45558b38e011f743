import type { APIServiceExportRequest, APIServiceExportTemplate, Collection } from '@hawser/kube-bind';
import type { Bindable } from './access-review.js';
import { type Coverage, coverages } from './coverage.js';

/**
 * What a consumer may bind:
 * - `Exported`: every CRD labelled as exported, as in the Go backend. Templates are only a catalogue.
 * - `Template`: what a template covers on which the consumer has the verb `bind`, directly or through a collection.
 */
export type AdmissionMode = 'Exported' | 'Template';

/** The content of a request, or of an existing grant. */
export type Asked = Pick<APIServiceExportRequest, 'metadata' | 'spec'>;

/** Whether a request is admitted. Closed. */
export type Admission =
  /** `template`: the admitting one, if any. */
  | { readonly kind: 'admitted'; readonly template: APIServiceExportTemplate | undefined }
  /** The request's namespace is not that of a consumer. */
  | { readonly kind: 'noConsumer' }
  /** No template names any of the resources. */
  | { readonly kind: 'notOffered' }
  /** Templates name resources of it, but none covers it as a whole. Never empty. */
  | { readonly kind: 'exceeds'; readonly coverages: readonly Coverage[] }
  /** A template covers it, and the consumer may bind that, but the provider has not approved it yet. */
  | {
      readonly kind: 'unapproved';
      readonly template: APIServiceExportTemplate;
      /** Templates approved for the consumer. */ readonly approved: ReadonlySet<string>;
    }
  /** These templates would cover it, and the consumer may bind none of them. */
  | { readonly kind: 'forbidden'; readonly templates: readonly string[]; readonly user: string };

export interface Offers {
  readonly templates: readonly APIServiceExportTemplate[];
  readonly collections: readonly Collection[];
}

/** The covering templates in the order of tries, each with the possible sources of a right to bind it. Pure. */
export function candidates(
  request: Asked,
  offers: Offers,
): { readonly covering: readonly APIServiceExportTemplate[]; readonly partial: readonly Coverage[] } {
  const all = coverages(request, offers.templates);
  return {
    covering: all.filter(({ excess }) => excess.length === 0).map(({ template }) => template),
    partial: all.filter(({ excess }) => excess.length > 0),
  };
}

/** The objects whose verb `bind` allows binding `template`: itself, and each collection with it. */
export function bindablesOf(template: APIServiceExportTemplate, { collections }: Offers): readonly Bindable[] {
  const { name } = template.metadata;
  return [
    { resource: 'apiserviceexporttemplates', name },
    ...collections
      .filter(({ spec }) => spec.templates.some((one) => one.name === name))
      .map(({ metadata }) => ({ resource: 'collections', name: metadata.name }) as const),
  ];
}
