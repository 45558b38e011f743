import { describe, expect, it } from '@jest/globals';
import { type BundleObserved, decideBundleConditions } from './bundle-conditions.js';

const ref = { namespace: 'kube-bind', name: 'kubeconfig', key: 'kubeconfig' };
const valid = {
  kind: 'valid',
  hash: 'h',
  config: { server: 'https://x', credentials: { kind: 'none' } },
  clusterNamespace: 'x',
} as const;
const failure = { reason: 'InformerSyncFailed', message: 'provider: list apiserviceexports: forbidden.' } as const;
const conditionTexts = (observed: Partial<BundleObserved>): string[] =>
  decideBundleConditions({ ref, secret: valid, connection: undefined, served: false, works: false, ...observed }).map(
    ({ type, status, reason }) => [type, status, reason].filter((part) => part !== undefined && part !== '').join(' '),
  );

describe('decideBundleConditions', () => {
  it.each<[string, Partial<BundleObserved>, string[]]>([
    ['says nothing of a Secret that was not looked at', { secret: { kind: 'unknown' } }, []],
    [
      'leaves what is exported to the connection that serves it',
      { connection: { serves: true }, served: true, works: true },
      ['SecretValid True'],
    ],
    [
      'says nothing of a connection that is being made',
      { connection: { serves: false }, served: false },
      ['SecretValid True'],
    ],
    [
      'knows nothing of the provider without a Secret',
      { secret: { kind: 'missing' } },
      ['SecretValid False KubeconfigSecretNotFound', 'Synced False ProviderClientError'],
    ],
    [
      'knows nothing of the provider with a refused kubeconfig',
      { secret: { kind: 'invalid', problem: 'No.' } },
      ['SecretValid False KubeconfigSecretInvalid', 'Synced False ProviderClientError'],
    ],
    [
      'knows nothing of the provider without a reference',
      { ref: undefined, secret: { kind: 'missing' } },
      ['SecretValid False KubeconfigSecretNotFound', 'Synced False ProviderClientError'],
    ],
    [
      'goes on with the last kubeconfig that worked',
      { secret: { kind: 'invalid', problem: 'No.' }, connection: { serves: true }, served: true, works: true },
      ['SecretValid False KubeconfigSecretInvalid'],
    ],
    [
      'says that the exports cannot be read',
      { connection: { serves: false, failure } },
      ['SecretValid True', 'Synced False ListExportsFailed'],
    ],
    [
      'says that the connection broke',
      { connection: { serves: false, failure: { ...failure, reason: 'ControllersFailed' } }, served: true },
      ['SecretValid True', 'Synced False ProviderClientError'],
    ],
    [
      'looks at nothing that another cluster exports',
      {
        mismatch: { side: 'provider', object: 'APIServiceBindingBundle all', expected: 'a', found: 'b' },
        connection: { serves: false },
      },
      ['SecretValid False ProviderIdentityChanged', 'Synced False ProviderClientError'],
    ],
    [
      'leaves it to the old connection while a new one fails',
      { connection: { serves: false, failure }, served: true, works: true },
      ['SecretValid True'],
    ],
  ])('%s', (_, observed, conditions) => {
    expect(conditionTexts(observed)).toEqual(conditions);
  });
});
