import type { BindableResourcesRequest } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { answerText } from './answer-text.js';
import { decideAnswer, type ObservedAnswer } from './decide-answer.js';

const encode = (text: string): string => Buffer.from(text).toString('base64');
const kubeconfig = (host: string, token = 't'): string =>
  encode(
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u', namespace: 'home' } }],
      clusters: [{ name: 'c', cluster: { server: `https://${host}.example.com` } }],
      users: [{ name: 'u', user: { token } }],
    }),
  );
const owned = [
  { apiVersion: 'kube-bind.io/v1alpha2', kind: 'BindableResourcesRequest', name: 'shop', uid: 'r', controller: true },
];
const observed = (text: string, ownerReferences = owned): ObservedAnswer => ({
  request: {
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'BindableResourcesRequest',
    metadata: { name: 'shop', namespace: 'apps', uid: 'r' },
    spec: {},
  } as BindableResourcesRequest,
  answer: {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'answer', namespace: 'apps', ownerReferences },
    data: { response: text },
  },
  key: 'response',
  kubeconfig: kubeconfig('new'),
});

describe('decideAnswer', () => {
  it('lets an answer follow its kubeconfig while the token is the same', () => {
    const outdated = observed(answerText(kubeconfig('old')));
    expect(decideAnswer(outdated)).toEqual({
      actions: [{ type: 'follow', answer: outdated.answer, key: 'response', text: answerText(kubeconfig('new')) }],
    });
    expect(decideAnswer(observed(answerText(kubeconfig('new'))))).toEqual({ actions: [] });
    expect(decideAnswer(observed(answerText(kubeconfig('old', 'other'))))).toEqual({ actions: [] });
  });

  it('leaves what is no answer of ours', () => {
    expect(decideAnswer(undefined)).toEqual({ actions: [] });
    expect(decideAnswer(observed(answerText(kubeconfig('old')), [{ ...owned[0]!, uid: 'other' }]))).toEqual({
      actions: [],
    });
    expect(decideAnswer(observed('nonsense'))).toEqual({ actions: [] });
  });
});
