import type { Bindable } from './access-review.js';
import { type Admission, type AdmissionMode, type Asked, bindablesOf, candidates, type Offers } from './admission.js';
import { binderOf } from './binder.js';

export interface AdmitOptions {
  readonly mode: AdmissionMode;
  readonly offers: Offers;
  /** Whether the namespace of the request is that of a consumer. */
  readonly hasConsumer: boolean;
  /** Whether the consumer has the verb `bind`; asked only where the answer decides. */
  readonly mayBind: (bindable: Bindable) => Promise<boolean>;
}

/** Whether a request is let in, and under which template. Reads nothing but what it is given. */
export async function admit(request: Asked, { mode, offers, hasConsumer, mayBind }: AdmitOptions): Promise<Admission> {
  const { covering, partial } = candidates(request, offers);
  if (mode === 'Exported') return { kind: 'admitted', template: covering[0] };
  if (!hasConsumer) return { kind: 'noConsumer' };
  for (const template of covering) {
    for (const bindable of bindablesOf(template, offers)) {
      if (await mayBind(bindable)) return { kind: 'admitted', template };
    }
  }
  if (covering.length > 0) {
    return {
      kind: 'forbidden',
      templates: covering.map(({ metadata }) => metadata.name),
      user: binderOf(request.metadata.namespace ?? '').user,
    };
  }
  return partial.length > 0 ? { kind: 'exceeds', coverages: partial } : { kind: 'notOffered' };
}
