import type { APIServiceExportRequest, APIServiceExportTemplate, Collection } from '@hawser/kube-bind';
import type { Bindable } from './access-review.js';
import { type Coverage, coverages } from './coverage.js';

/**
 * What a consumer may bind:
 * - `Exported`: every CRD that is labelled as exported, as with the Go backend. Templates are a catalogue and no more.
 * - `Template`: what a template covers on which the consumer has the verb `bind`, directly or through a collection.
 */
export type AdmissionMode = 'Exported' | 'Template';

/** What is asked for, by a request or by what one was given. */
export type Asked = Pick<APIServiceExportRequest, 'metadata' | 'spec'>;

/** Whether a request is let in. Closed. */
export type Admission =
  /** `template`: under which, as far as there is one. */
  | { readonly kind: 'admitted'; readonly template: APIServiceExportTemplate | undefined }
  /** Nobody onboarded a consumer in the namespace of the request. */
  | { readonly kind: 'noConsumer' }
  /** No template names any of the resources. */
  | { readonly kind: 'notOffered' }
  /** Templates name resources of it, but none covers it as a whole. Never empty. */
  | { readonly kind: 'exceeds'; readonly coverages: readonly Coverage[] }
  /** The consumer may bind this template, which covers it, and the provider has not approved that yet. */
  | {
      readonly kind: 'unapproved';
      readonly template: APIServiceExportTemplate;
      /** Templates that the consumer is approved for. */ readonly approved: ReadonlySet<string>;
    }
  /** These templates would cover it, and the consumer may bind none of them. */
  | { readonly kind: 'forbidden'; readonly templates: readonly string[]; readonly user: string };

export interface Offers {
  readonly templates: readonly APIServiceExportTemplate[];
  readonly collections: readonly Collection[];
}

/** The covering templates in the order in which they are tried, each with what a right to bind it may stand on. Pure. */
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

/** On which objects the verb `bind` lets one bind `template`: on itself, and on each collection with it. */
export function bindablesOf(template: APIServiceExportTemplate, { collections }: Offers): readonly Bindable[] {
  const { name } = template.metadata;
  return [
    { resource: 'apiserviceexporttemplates', name },
    ...collections
      .filter(({ spec }) => spec.templates.some((one) => one.name === name))
      .map(({ metadata }) => ({ resource: 'collections', name: metadata.name }) as const),
  ];
}
