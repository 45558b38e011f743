import { type APIServiceExportTemplate, wantsApproval } from '@hawser/kube-bind';
import type { Bindable } from './access-review.js';
import { type Admission, type AdmissionMode, type Asked, bindablesOf, candidates, type Offers } from './admission.js';
import { binderOf } from './binder.js';

export interface AdmitOptions {
  readonly mode: AdmissionMode;
  readonly offers: Offers;
  /** Whether the request's namespace is that of a consumer. */
  readonly hasConsumer: boolean;
  /** Templates approved for the consumer. */
  readonly approved: ReadonlySet<string>;
  /** Templates that it may bind by the right of a person. */
  readonly granted: ReadonlySet<string>;
  /** Whether the consumer has the verb `bind`; called only where the answer decides. */
  readonly mayBind: (bindable: Bindable) => Promise<boolean>;
}

/** Decides whether a request is admitted, and under which template. Reads only its inputs. */
export async function admit(
  request: Asked,
  { mode, offers, hasConsumer, approved, granted, mayBind }: AdmitOptions,
): Promise<Admission> {
  const { covering, partial } = candidates(request, offers);
  if (mode === 'Exported') return { kind: 'admitted', template: covering[0] };
  if (!hasConsumer) return { kind: 'noConsumer' };
  const mayBindTemplate = async (template: APIServiceExportTemplate): Promise<boolean> => {
    if (granted.has(template.metadata.name)) return true;
    for (const bindable of bindablesOf(template, offers)) if (await mayBind(bindable)) return true;
    return false;
  };
  let waiting: APIServiceExportTemplate | undefined;
  for (const template of covering) {
    if (!(await mayBindTemplate(template))) continue;
    if (!wantsApproval(template) || approved.has(template.metadata.name)) return { kind: 'admitted', template };
    waiting ??= template;
  }
  if (waiting !== undefined) return { kind: 'unapproved', template: waiting, approved };
  if (covering.length > 0) {
    return {
      kind: 'forbidden',
      templates: covering.map(({ metadata }) => metadata.name),
      user: binderOf(request.metadata.namespace ?? '').user,
    };
  }
  return partial.length > 0 ? { kind: 'exceeds', coverages: partial } : { kind: 'notOffered' };
}
