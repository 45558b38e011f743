import type { APIServiceExport, APIServiceExportRequest, ClusterBinding } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import type { BindingFacts } from './binding-facts.js';
import { stateOf } from './binding-state.js';

const now = Date.UTC(2026, 4, 1, 12);
const time = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
const spec = { resources: [{ group: 'example.com', resource: 'databases', versions: ['v1'] }] };
const metadata = { namespace: 'kube-bind-x', name: 'db', creationTimestamp: time(now - 60_000) };
const apiVersion = 'kube-bind.io/v1alpha2';
const request: APIServiceExportRequest = { apiVersion, kind: 'APIServiceExportRequest', metadata, spec };
const yes = (type: string) => ({ type, status: 'True' as const, lastTransitionTime: time(now - 30_000) });
const granted: APIServiceExport = {
  apiVersion,
  kind: 'APIServiceExport',
  metadata,
  spec: { ...spec, informerScope: 'Cluster', isolation: 'Prefixed' },
  status: { conditions: [yes('Connected'), yes('ConsumerInSync')] },
};
const binding = (status: ClusterBinding['status'], annotations = {}): ClusterBinding => ({
  apiVersion,
  kind: 'ClusterBinding',
  metadata: { namespace: 'kube-bind-x', name: 'cluster', annotations },
  spec: { kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' }, providerPrettyName: 'Lab' },
  status,
});
const facts = (clusterBinding: ClusterBinding | undefined, more: Partial<BindingFacts> = {}): BindingFacts => ({
  consumer: {
    dialect: 'kube-bind',
    namespace: 'kube-bind-x',
    cluster: { identity: 'uid', prettyName: 'Acme' },
    owner: 'https://issuer.example.com/jane',
    namespaceObject: undefined,
    clusterBinding,
  },
  name: 'db',
  request,
  export: granted,
  ...more,
});
const reporting = (lastHeartbeatTime: string, heartbeatInterval = '5m0s', more = {}): ClusterBinding =>
  binding({ lastHeartbeatTime, heartbeatInterval, ...more });
const healthAndReason = (given: BindingFacts): readonly [string, string | undefined] => {
  const { health, steps } = stateOf(given, undefined, now);
  return [health, steps.find(({ state }) => state === 'stopped')?.reason];
};

describe('stateOf', () => {
  it('calls well only what reports now, whatever a konnector says of its clock and of its interval', () => {
    expect(healthAndReason(facts(reporting(time(now - 60_000))))).toEqual(['works', undefined]);
    expect(healthAndReason(facts(reporting(time(now - 700_000))))).toEqual(['silent', 'HeartbeatTimeout']);
    expect(healthAndReason(facts(reporting(time(now - 90_000_000), '1000000h')))).toEqual([
      'silent',
      'HeartbeatTimeout',
    ]);
    expect(healthAndReason(facts(reporting(time(now - 700_000), '-1h')))).toEqual(['silent', 'HeartbeatTimeout']);
    expect(healthAndReason(facts(reporting('9999-01-01T00:00:00Z')))).toEqual(['stopped', 'HeartbeatTimeDrift']);
    expect(healthAndReason(facts(reporting('not a time')))).toEqual(['waits', undefined]);
  });

  it('calls nothing well whose access or export is taken away, or that its consumer has unbound', () => {
    const well = reporting(time(now - 1_000));
    const withdrawn = { ...granted, metadata: { ...metadata, annotations: { 'hawser.dev/withdrawn': 'unpaid' } } };
    const unbound = { ...granted, status: { conditions: [yes('Connected'), yes('Unbound')] } };
    expect(healthAndReason(facts(well, { export: withdrawn }))).toEqual(['stopped', 'WithdrawnByOperator']);
    expect(healthAndReason(facts(well, { export: unbound }))[0]).toBe('ended');
    const revoked = binding(well.status, { 'hawser.dev/revoke-credential': 'leaked' });
    expect(healthAndReason(facts(revoked))).toEqual(['stopped', 'CredentialRevoked']);
  });

  it('shows words of a consumer without what misleads, and no longer than anybody reads', () => {
    const long = 'x'.repeat(900_000);
    const state = stateOf(
      facts(reporting(time(now), '5m', { konnectorVersion: long }), {
        export: undefined,
        request: {
          ...request,
          status: {
            phase: 'Failed',
            terminalMessage: `a\u202Eb\n${long}`,
            conditions: [{ ...yes('ExportsReady'), status: 'False', severity: 'Error', reason: long, message: long }],
          },
        },
      }),
      undefined,
      now,
    );
    expect(JSON.stringify(state).length).toBeLessThan(5_000);
    expect(state.steps[1]?.message?.startsWith('a b x')).toBe(true);
  });
});
