import { isApiError } from '@hawser/client';
import { conditionTypes } from '@hawser/kube-bind';
import type { Finding } from '@hawser/preview';
import type { BindingView } from './binding-view.js';
import { nameOf, subjectOf, wrong } from './examination-words.js';
import type { Examination } from './examination.js';
import { findingOf } from './finding.js';
import { OF_CONNECTION } from './findings-by-area.js';

/** In the terms of the condition: doctor, why, conditions and Events then say the same of one fault. */
export function secretOf({ binding, secret, conditions }: BindingView): Examination {
  const subject = secret.ref === undefined ? subjectOf(binding) : `Secret ${secret.ref.namespace}/${secret.ref.name}`;
  if (secret.reading.kind === 'valid')
    return { area: 'secret', subject, state: 'ok', message: 'It holds a kubeconfig that may be used.' };
  const condition = conditions.find(({ type, status }) => type === conditionTypes.secretValid && status === 'False');
  return condition === undefined
    ? { area: 'secret', subject, state: 'unknown', message: 'It has not been looked at.' }
    : wrong('secret', subject, findingOf(condition, binding));
}

/** The state as seen from outside; if nothing is wrong, the konnector's own report. */
export function connectionOf(view: BindingView, findings: readonly Finding[]): readonly Examination[] {
  const seen = connectionSeen(view);
  const reported =
    seen.state === 'ok'
      ? findings.filter(({ condition }) => condition !== undefined && OF_CONNECTION.has(condition))
      : [];
  return reported.length === 0 ? [seen] : reported.map((finding) => wrong('connection', seen.subject, finding));
}

function connectionSeen({ binding, provider, conditions }: BindingView): Examination {
  const subject = provider === undefined ? subjectOf(binding) : nameOf(provider);
  if (provider === undefined)
    return {
      area: 'connection',
      subject,
      state: 'unknown',
      message: 'Without a kubeconfig there is no way to ask the provider.',
    };
  switch (provider.clusterBinding.kind) {
    case 'failed': {
      const condition = conditions.find(
        ({ type, status }) => type === conditionTypes.informersSynced && status === 'False',
      );
      if (condition !== undefined) return wrong('connection', subject, findingOf(condition, binding));
      const { error } = provider.clusterBinding;
      const refused = isApiError(error, 'Unauthorized', 'Forbidden');
      return {
        area: 'connection',
        subject,
        state: 'failed',
        message: error.message,
        actor: refused ? 'provider' : 'operator',
        remedy: refused
          ? 'hands out a credential that is valid'
          : 'sees to the network between the clusters, and to the address in the kubeconfig',
      };
    }
    case 'missing':
      return {
        area: 'connection',
        subject,
        state: 'failed',
        message: "There is no ClusterBinding: the namespace is not a consumer's.",
        actor: 'provider',
        remedy: 'onboards the consumer',
      };
    case 'found':
      return { area: 'connection', subject, state: 'ok', message: 'It answers, and knows this consumer.' };
  }
}
