import { describe, expect, it } from '@jest/globals';
import { trueCondition } from '@hawser/kube-bind';
import { type BindingObserved, decideConditions } from './conditions.js';
import type { SecretReading } from './secret-reading.js';

const observed = (fields: Partial<BindingObserved> = {}): BindingObserved => ({
  ref: { namespace: 'kube-bind', name: 'kc', key: 'kubeconfig' },
  secret: {
    kind: 'valid',
    hash: '1',
    config: { server: 'https://example.com', credentials: { kind: 'none' }, namespace: 'cluster-x' },
    clusterNamespace: 'cluster-x',
  },
  connection: { serves: true },
  served: true,
  ...fields,
});

describe('decideConditions', () => {
  it('is content when the connection serves the binding', () => {
    expect(decideConditions(observed())).toEqual([trueCondition('SecretValid'), trueCondition('InformersSynced')]);
  });

  it.each<[SecretReading, string, RegExp]>([
    [{ kind: 'missing' }, 'KubeconfigSecretNotFound', /Secret kube-bind\/kc does not exist.*bind again/],
    [
      { kind: 'invalid', problem: 'The user runs a program (exec).' },
      'KubeconfigSecretInvalid',
      /Key kubeconfig of Secret kube-bind\/kc is refused\. The user runs a program \(exec\)\. Whoever keeps/,
    ],
    [
      { kind: 'unreadable', error: 'list secrets on the consumer: forbidden' },
      'KubeconfigSecretUnreadable',
      /list secrets on the consumer: forbidden.*administrator/,
    ],
  ])('names Secret, cause and remedy: %j', (secret, reason, words) => {
    const [condition] = decideConditions(observed({ secret, connection: undefined, served: false }));
    expect(condition).toEqual({
      status: 'False',
      type: 'SecretValid',
      reason,
      severity: 'Error',
      message: expect.stringMatching(words),
    });
    expect(condition).not.toMatchObject({ message: expect.stringContaining('goes on') });
  });

  it.each<[SecretReading, RegExp]>([
    [
      { kind: 'missing' },
      /does not exist\. The konnector puts the provider's kubeconfig there again by itself, within seconds\. Only if it does not: whoever bound/u,
    ],
    [
      { kind: 'invalid', problem: 'It is not YAML.' },
      /It is not YAML\. The konnector puts the provider's kubeconfig there again by itself, within seconds\. Only if it does not: whoever keeps/u,
    ],
  ])('says of a connection that works that the konnector repairs the Secret: %j', (secret, words) => {
    expect(decideConditions(observed({ secret }))[0]).toMatchObject({
      type: 'SecretValid',
      status: 'False',
      message: expect.stringMatching(words),
    });
    expect(decideConditions(observed({ secret, connection: undefined, served: false }))[0]?.message).not.toContain(
      'by itself',
    );
  });

  it('says that the connection goes on with the last good kubeconfig', () => {
    expect(decideConditions(observed({ secret: { kind: 'missing' } }))).toEqual([
      {
        status: 'False',
        type: 'SecretValid',
        reason: 'KubeconfigSecretNotFound',
        severity: 'Error',
        message: expect.stringContaining('goes on with the last kubeconfig that worked'),
      },
      trueCondition('InformersSynced'),
    ]);
  });

  it.each([
    [
      {
        side: 'provider',
        object: 'APIServiceBinding databases',
        expected: 'p',
        found: 'q',
        clusterNamespace: 'cluster-x',
      },
      'ProviderIdentityChanged',
      /namespace cluster-x has uid q there, and APIServiceBinding databases is bound to uid p\. Nothing is synced to it.*kubectl annotate apiservicebinding databases --overwrite hawser\.dev\/provider-identity=q/u,
    ],
    [
      { side: 'consumer', object: 'APIServiceBinding databases', expected: 'p', found: 'q' },
      'ConsumerIdentityChanged',
      /bound in another cluster, with uid p; this one has uid q.*kubectl annotate apiservicebinding databases --overwrite hawser\.dev\/consumer-identity=q/u,
    ],
  ] as const)('says what was expected and found, and how to accept it: %j', (mismatch, reason, words) => {
    expect(decideConditions(observed({ mismatch, connection: { serves: false }, served: false }))).toEqual([
      { status: 'False', type: 'SecretValid', reason, severity: 'Error', message: expect.stringMatching(words) },
    ]);
  });

  it('says nothing before it knows', () => {
    expect(decideConditions(observed({ secret: { kind: 'unknown' }, connection: undefined, served: false }))).toEqual(
      [],
    );
    expect(decideConditions(observed({ connection: { serves: false }, served: false }))).toEqual([
      trueCondition('SecretValid'),
    ]);
  });

  it('says why a connection cannot be made, and that the old one goes on', () => {
    const failure = {
      reason: 'InformerSyncFailed',
      message: 'list apiserviceexports on the provider: Unauthorized.',
    } as const;
    expect(decideConditions(observed({ connection: { serves: false, failure }, served: true }))).toEqual([
      trueCondition('SecretValid'),
      {
        status: 'False',
        type: 'InformersSynced',
        reason: 'InformerSyncFailed',
        severity: 'Error',
        message: expect.stringMatching(/Unauthorized.*tried again.*goes on/),
      },
    ]);
    expect(decideConditions(observed({ connection: { serves: false, failure }, served: false }))[1]).not.toMatchObject({
      message: expect.stringContaining('goes on'),
    });
  });

  it('says that a connection that worked has failed', () => {
    const failure = { reason: 'ControllersFailed', message: 'servicebinding ended.' } as const;
    expect(decideConditions(observed({ connection: { serves: true, failure } }))[1]).toMatchObject({
      status: 'False',
      reason: 'ControllersFailed',
    });
  });
});
