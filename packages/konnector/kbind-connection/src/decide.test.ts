import { type Connection, resources } from '@hawser/core-kbind';
import { describe, expect, it } from '@jest/globals';
import { decide } from './decide.js';
import type { Observed, WayReading } from './observed.js';

const config = { server: 'https://provider.example.com', credentials: { kind: 'none' } } as const;
const api = {
  name: 'widgets.example.org',
  group: 'example.org',
  resource: 'widgets',
  scope: 'Namespaced',
  versions: ['v1'],
};
const way: WayReading = {
  hash: 'one',
  identity: { kind: 'known', uid: 'remote' },
  offers: { kind: 'known', apis: [api] },
  source: 'CRD',
};
const held = { finalizers: ['core.kbind.io/cleanup'] };
const going = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'demo', namespace: 'kbind', ...held } };

function connection(metadata: object = held, status?: Connection['status']): Connection {
  return {
    apiVersion: `${resources.connections.group}/v1alpha1`,
    kind: 'Connection',
    metadata: { name: 'demo', generation: 1, ...metadata },
    spec: { kubeconfigSecretRef: { namespace: 'kbind', name: 'demo', key: 'kubeconfig' } },
    status,
  };
}

function observed(changes: Partial<Observed> = {}): Observed {
  return {
    name: 'demo',
    connection: connection(),
    kubeconfig: { kind: 'valid', hash: 'one', config },
    secret,
    secretIsShared: false,
    local: { kind: 'known', uid: 'local' },
    current: way,
    trial: undefined,
    autoBinding: undefined,
    providerIsShared: false,
    heartbeatEnded: false,
    users: 0,
    now: 0,
    ...changes,
  };
}

const steps = (changes: Partial<Observed>): readonly string[] =>
  decide(observed(changes)).actions.map(({ type }) => type);

function conditions(changes: Partial<Observed>): Readonly<Record<string, string>> {
  const [action] = decide(observed(changes)).actions;
  if (action?.type !== 'writeStatus') return {};
  return Object.fromEntries(action.facts.conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}

describe('what is done about a Connection', () => {
  it.each<[string, Partial<Observed>, readonly string[]]>([
    ['nothing where there is none', { connection: undefined, current: undefined }, []],
    ['its way is closed where it is gone', { connection: undefined }, ['close']],
    ['the finalizer comes first', { connection: connection({}) }, ['addFinalizer']],
    ['then the Secret is held', { secret: { ...secret, metadata: { name: 'demo' } } }, ['holdSecret']],
    [
      'a Secret that is going cannot be held',
      { secret: { ...secret, metadata: { name: 'demo', ...going } } },
      ['writeStatus'],
    ],
    ['a kubeconfig is tried', { current: undefined }, ['try']],
    [
      'another kubeconfig is tried beside the one that is used',
      { kubeconfig: { kind: 'valid', hash: 'two', config } },
      ['try'],
    ],
    [
      'another source of schemas is tried beside the one that is used',
      { connection: { ...connection(), spec: { ...connection().spec, schema: { source: 'OpenAPI' } } } },
      ['try'],
    ],
    ['what is proven is used', { current: undefined, trial: way }, ['use']],
    [
      'what cannot be reached is not used',
      { current: undefined, trial: { ...way, identity: { kind: 'unreachable', message: 'down' } } },
      ['writeStatus'],
    ],
    [
      'what does not say yet what it offers is not used',
      { current: undefined, trial: { ...way, offers: { kind: 'unreachable', message: '' } } },
      ['writeStatus'],
    ],
    [
      'nothing is told before the first answer',
      { current: undefined, trial: { ...way, offers: { kind: 'listing' } } },
      [],
    ],
    ['what the Secret does not hold any more is not tried any more', { trial: { ...way, hash: 'two' } }, ['abandon']],
    [
      'another provider ends what is used',
      {
        connection: connection(held, { remoteClusterUID: 'remote', localClusterUID: 'local' }),
        kubeconfig: { kind: 'valid', hash: 'two', config },
        trial: { ...way, hash: 'two', identity: { kind: 'known', uid: 'other' } },
      },
      ['suspend'],
    ],
    [
      'in another cluster than its own nothing is used',
      { connection: connection(held, { remoteClusterUID: 'remote', localClusterUID: 'another' }) },
      ['suspend'],
    ],
    ['bindings go before it', { connection: connection({ ...held, ...going }), users: 1 }, ['writeStatus']],
    ['then the Secret is let go', { connection: connection({ ...held, ...going }) }, ['releaseSecret']],
    [
      'unless another Connection uses it',
      { connection: connection({ ...held, ...going }), secretIsShared: true },
      ['endHeartbeat'],
    ],
    ['then its Lease goes', { connection: connection({ ...held, ...going }), secret: undefined }, ['endHeartbeat']],
    [
      'then it goes itself',
      { connection: connection({ ...held, ...going }), secret: undefined, heartbeatEnded: true },
      ['removeFinalizer'],
    ],
    [
      'the Lease of a provider that another Connection leads to stays',
      { connection: connection({ ...held, ...going }), secret: undefined, providerIsShared: true },
      ['removeFinalizer'],
    ],
  ])('%s', (_, changes, expected) => {
    expect(steps(changes)).toEqual(expected);
  });

  it('lists what is offered as long as bindings use it, and binds nothing by itself any more', () => {
    const goes = connection({ ...held, ...going });
    const [write] = decide(
      observed({ connection: { ...goes, spec: { ...goes.spec, autoBind: true } }, users: 1 }),
    ).actions;
    expect(write).toMatchObject({ type: 'writeStatus', facts: { fields: { exportedAPIs: [api] } } });
  });

  it.each<[string, Partial<Observed>]>([
    ['is refused', { kubeconfig: { kind: 'refused', reason: 'KubeconfigRefused', message: 'no' } }],
    [
      'leads to a provider that does not answer',
      {
        kubeconfig: { kind: 'valid', hash: 'two', config },
        trial: { ...way, hash: 'two', identity: { kind: 'unreachable', message: 'no' } },
      },
    ],
  ])(
    'lists what the kubeconfig in use offers while another %s, and only with both clusters as pinned',
    (_, changes) => {
      const fields = (status: Connection['status']) => {
        const [write] = decide(observed({ ...changes, connection: connection(held, status) })).actions;
        return write?.type === 'writeStatus' ? write.facts.fields : undefined;
      };
      const pins = { remoteClusterUID: 'remote', localClusterUID: 'local' };
      expect(fields(pins)).toEqual({ ...pins, activeSchemaSource: 'CRD', exportedAPIs: [api] });
      expect(fields({})).toEqual({});
      expect(fields({ remoteClusterUID: 'remote' })).toEqual({});
    },
  );

  it('pins both clusters and lists what is offered, and writes nothing when that stands', () => {
    const [write] = decide(observed()).actions;
    expect(write).toMatchObject({
      facts: {
        fields: {
          remoteClusterUID: 'remote',
          localClusterUID: 'local',
          activeSchemaSource: 'CRD',
          exportedAPIs: [api],
        },
      },
    });
    const conditionsNow = write?.type === 'writeStatus' ? write.facts : undefined;
    const status = {
      ...conditionsNow?.fields,
      conditions: (conditionsNow?.conditions ?? []).map((one) => ({
        ...one,
        observedGeneration: 1,
        lastTransitionTime: '2026-01-01T00:00:00Z',
      })),
    };
    expect(decide(observed({ connection: connection(held, status) }))).toEqual({ actions: [], requeueAfterMs: 60_000 });
  });
});

describe('what is told of a Connection', () => {
  it.each<[string, Partial<Observed>, Readonly<Record<string, string>>]>([
    [
      'that it works',
      {},
      {
        SecretValid: 'True AsExpected',
        Connected: 'True AsExpected',
        PermissionDenied: 'False AsExpected',
        Ready: 'True AsExpected',
      },
    ],
    [
      'that its Secret is missing',
      { kubeconfig: { kind: 'refused', reason: 'SecretNotFound', message: 'no' }, current: undefined },
      { SecretValid: 'False SecretNotFound', Connected: 'Unknown SecretNotFound', Ready: 'False SecretNotFound' },
    ],
    [
      'that its kubeconfig is refused, while the one before goes on',
      { kubeconfig: { kind: 'refused', reason: 'KubeconfigRefused', message: 'no' } },
      { SecretValid: 'False KubeconfigRefused', Ready: 'False KubeconfigRefused' },
    ],
    [
      'that the provider cannot be reached',
      { current: { ...way, identity: { kind: 'unreachable', message: 'down' } } },
      { SecretValid: 'True AsExpected', Connected: 'False Pending', Ready: 'False Pending' },
    ],
    [
      'that the provider does not say who it is',
      { current: undefined, trial: { ...way, identity: { kind: 'refused', message: 'no' } } },
      { SecretValid: 'True AsExpected', PermissionDenied: 'True Forbidden', Ready: 'False Forbidden' },
    ],
    [
      'that the provider does not say what it offers',
      { current: undefined, trial: { ...way, offers: { kind: 'refused', message: 'no' } } },
      {
        SecretValid: 'True AsExpected',
        Connected: 'True AsExpected',
        PermissionDenied: 'True Forbidden',
        Ready: 'False Forbidden',
      },
    ],
    [
      'that it leads elsewhere',
      {
        connection: connection(held, { remoteClusterUID: 'another', localClusterUID: 'local' }),
        current: undefined,
        trial: way,
      },
      {
        SecretValid: 'True AsExpected',
        Connected: 'False ClusterIdentityChanged',
        Ready: 'False ClusterIdentityChanged',
      },
    ],
    [
      'whom it waits for, and how it stands until then',
      { connection: connection({ ...held, ...going }), users: 2 },
      {
        SecretValid: 'True AsExpected',
        Connected: 'True AsExpected',
        PermissionDenied: 'False AsExpected',
        Ready: 'False DrainingBindings',
      },
    ],
    [
      'whom it waits for, before the provider has answered',
      { connection: connection({ ...held, ...going }), users: 2, current: { ...way, offers: { kind: 'listing' } } },
      { Ready: 'False DrainingBindings' },
    ],
  ])('%s', (_, changes, expected) => {
    expect(conditions(changes)).toEqual(expected);
  });
});
