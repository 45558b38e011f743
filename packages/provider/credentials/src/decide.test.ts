import type { KubeObject } from '@hawser/client';
import { type ClusterBinding, kubeBindDialect, type Secret } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { decide } from './decide.js';
import type { Decision } from './decision.js';
import { writeKubeconfig } from './kubeconfig-text.js';
import type { Observed } from './observed.js';
import type { SlotName } from './slot-name.js';

const namespace = 'kube-bind-acme';
const start = Date.UTC(2026, 0, 1);
const hour = 3_600_000;
const day = 24 * hour;
const endpoint = { server: 'https://provider.example:6443', caData: 'ca' };
const settings = { dialect: kubeBindDialect, tokenLifeMs: 30 * day, overlapMs: hour };
const time = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
const base64 = (text: string): string => Buffer.from(text).toString('base64');

type Annotations = Readonly<Record<string, string>>;

const clusterNamespace: KubeObject = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: namespace, annotations: { 'backend.kube-bind.io/identity': 'acme' } },
};
const account: KubeObject = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'kube-binder', namespace, uid: 'account' },
};
const binding = (annotations: Annotations = {}, heartbeat?: number, secretName = 'kubeconfig'): ClusterBinding => ({
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'ClusterBinding',
  metadata: { name: 'cluster', namespace, annotations },
  spec: { kubeconfigSecretRef: { name: secretName, key: 'kubeconfig' }, providerPrettyName: 'Lab' },
  ...(heartbeat === undefined ? {} : { status: { lastHeartbeatTime: time(heartbeat) } }),
});
const legacy = (token: string | undefined = 'token', name = 'kube-binder', annotations: Annotations = {}): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'kubernetes.io/service-account-token',
  data: token === '' ? {} : { token: base64(token) },
  metadata: {
    name,
    namespace,
    uid: `${name}-uid`,
    creationTimestamp: time(start),
    annotations: { 'kubernetes.io/service-account.name': 'kube-binder', ...annotations },
  },
});
const anchor = (name: SlotName, madeFor = 'Rotating/', uid = '00000000-0000'): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'Opaque',
  metadata: { name, namespace, uid, annotations: { 'hawser.dev/credential-made-for': madeFor } },
});
const kubeconfig = (token = 'token', notes: Annotations = {}, server = endpoint.server): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: 'kubeconfig',
    namespace,
    annotations: Object.fromEntries(
      Object.entries(notes).map(([key, value]) => [`hawser.dev/credential-${key}`, value]),
    ),
  },
  data: { kubeconfig: base64(writeKubeconfig({ ...endpoint, server }, namespace, token)) },
});
const notes = (slot: SlotName, madeFor: string, issued: number, more: Annotations = {}): Annotations => ({
  slot,
  'made-for': madeFor,
  issued: time(issued),
  ...more,
});
const rotating = (issued = start, more: Annotations = {}): Secret =>
  kubeconfig(
    'jwt',
    notes('kube-binder', 'Rotating/', issued, {
      'slot-uid': '00000000-0000',
      expires: time(issued + 30 * day),
      ...more,
    }),
  );

function observed(parts: Partial<Omit<Observed, 'slots'>> & { readonly slots?: readonly Secret[] } = {}): Observed {
  const { slots = [], ...rest } = parts;
  return {
    namespace: clusterNamespace,
    binding: binding(),
    account,
    kubeconfig: undefined,
    ...rest,
    slots: new Map(slots.map((slot) => [slot.metadata.name, slot])),
  };
}
const at = (now: number, parts: Parameters<typeof observed>[0]): Decision => ({
  action: undefined,
  condition: undefined,
  at: undefined,
  ...decide(settings, observed(parts), endpoint, now),
});
const wantsRotating = { 'hawser.dev/credential': 'Rotating' };
const replace = { 'hawser.dev/replace-credential': 'monday' };

describe('decide', () => {
  it.each<[string, Decision, object]>([
    [
      "nothing in a namespace that is not a consumer's",
      at(start, { namespace: { ...clusterNamespace, metadata: { name: namespace } } }),
      { verdict: { kind: 'absent' } },
    ],
    ['nothing without a ClusterBinding', at(start, { binding: undefined }), { verdict: { kind: 'absent' } }],
    [
      'nothing in a namespace that is going',
      at(start, {
        namespace: { ...clusterNamespace, metadata: { ...clusterNamespace.metadata, deletionTimestamp: time(start) } },
      }),
      { verdict: { kind: 'absent' } },
    ],
    ['first the ServiceAccount', at(start, { account: undefined }), { action: { type: 'createAccount', namespace } }],
    [
      'then the token Secret of the contract',
      at(start, {}),
      { action: { type: 'createSlot', slot: 'kube-binder', mode: 'Legacy', madeFor: 'Legacy/' } },
    ],
    [
      'then patience for its token',
      at(start, { slots: [legacy('')] }),
      { verdict: { kind: 'progressing' }, at: start + 30_000 },
    ],
    [
      'which comes to an end',
      at(start + 30_000, { slots: [legacy('')] }),
      { verdict: { kind: 'held', problem: { kind: 'tokenNotIssued' } } },
    ],
    [
      'then the kubeconfig',
      at(start, { slots: [legacy()] }),
      {
        action: {
          type: 'writeToken',
          token: 'token',
          secret: undefined,
          ledger: { slot: 'kube-binder', madeFor: 'Legacy/' },
        },
      },
    ],
    [
      'and then nothing',
      at(start, { slots: [legacy()], kubeconfig: kubeconfig() }),
      { action: undefined, verdict: { kind: 'valid', outdated: [] }, condition: 'none', at: undefined },
    ],
    [
      'nothing but a word when the server is another',
      at(start, { slots: [legacy()], kubeconfig: kubeconfig('token', {}, 'https://old') }),
      { action: undefined, verdict: { kind: 'valid', outdated: ['server'] } },
    ],
    [
      'the kubeconfig again when its token is dead',
      at(start, { slots: [legacy('new')], kubeconfig: kubeconfig() }),
      { action: { type: 'writeToken', token: 'new' } },
    ],
    [
      'the kubeconfig again when it is not a kubeconfig',
      at(start, { slots: [legacy()], kubeconfig: { ...kubeconfig(), data: { kubeconfig: base64('a: [') } } }),
      { action: { type: 'writeToken' } },
    ],
    [
      'nothing about a Secret with something else in it',
      at(start, { slots: [legacy()], kubeconfig: { ...kubeconfig(), data: { password: 'eA==' } } }),
      { action: undefined, verdict: { kind: 'held', problem: { kind: 'secretConflict', name: 'kubeconfig' } } },
    ],
    [
      'nothing about a token Secret that is none',
      at(start, { slots: [{ ...legacy(), type: 'Opaque' }] }),
      { action: undefined, verdict: { kind: 'held', problem: { kind: 'secretConflict', name: 'kube-binder' } } },
    ],
    [
      'nothing about one for another ServiceAccount',
      at(start, { slots: [legacy('t', 'kube-binder', { 'kubernetes.io/service-account.name': 'admin' })] }),
      { verdict: { kind: 'held', problem: { kind: 'secretConflict' } } },
    ],
    [
      'nothing where the kubeconfig would take the place of the token',
      at(start, { binding: binding({}, undefined, 'kube-binder') }),
      { verdict: { kind: 'held', problem: { kind: 'secretNameReserved' } } },
    ],
    [
      'nothing for a mode that nobody knows',
      at(start, {
        binding: binding({ 'hawser.dev/credential': 'rotating' }),
        slots: [legacy()],
        kubeconfig: kubeconfig(),
      }),
      { action: undefined, verdict: { kind: 'held', problem: { kind: 'modeUnknown', value: 'rotating' } } },
    ],
  ])('does %s', (_, decision, expected) => {
    expect(decision).toMatchObject(expected);
  });

  it('replaces: a second token, the kubeconfig, and the first token only when the consumer was in contact long after', () => {
    const asked = binding(replace);
    expect(at(start, { binding: asked, slots: [legacy()], kubeconfig: kubeconfig() })).toMatchObject({
      action: { type: 'createSlot', slot: 'kube-binder-next', mode: 'Legacy', madeFor: 'Legacy/monday' },
    });
    const next = legacy('second', 'kube-binder-next', { 'hawser.dev/credential-made-for': 'Legacy/monday' });
    expect(at(start, { binding: asked, slots: [legacy(), next], kubeconfig: kubeconfig() })).toMatchObject({
      action: {
        type: 'writeToken',
        token: 'second',
        ledger: { slot: 'kube-binder-next', madeFor: 'Legacy/monday', issued: start },
      },
    });
    const written = kubeconfig('second', notes('kube-binder-next', 'Legacy/monday', start));
    const both = { slots: [legacy(), next], kubeconfig: written };
    expect(at(start + 1, { ...both, binding: asked })).toMatchObject({
      action: undefined,
      verdict: { kind: 'valid' },
      at: start + hour,
    });
    expect(at(start + hour, { ...both, binding: binding(replace, start + 60_000) })).toMatchObject({
      action: undefined,
      condition: { status: 'True', reason: 'ConsumerNotSeen' },
    });
    expect(at(start + hour, { ...both, binding: binding(replace, start + hour) })).toMatchObject({
      action: { type: 'deleteSlot', secret: { metadata: { name: 'kube-binder' } }, because: 'replaced' },
    });
    expect(at(start + 2 * hour, { slots: [next], kubeconfig: written, binding: asked })).toMatchObject({
      action: undefined,
      verdict: { kind: 'valid' },
      condition: 'none',
    });
    // The wish is fulfilled, whether it still stands there or not.
    expect(at(start + 2 * hour, { slots: [next], kubeconfig: written, binding: binding() })).toMatchObject({
      action: undefined,
      verdict: { kind: 'valid' },
    });
    expect(
      at(start + 2 * hour, {
        slots: [next],
        kubeconfig: written,
        binding: binding({ 'hawser.dev/replace-credential': 'tuesday' }),
      }),
    ).toMatchObject({ action: { type: 'createSlot', slot: 'kube-binder', madeFor: 'Legacy/tuesday' } });
  });

  it('does not replace again what the consumer has not seen yet', () => {
    const next = legacy('second', 'kube-binder-next', { 'hawser.dev/credential-made-for': 'Legacy/monday' });
    const parts = {
      binding: binding({ 'hawser.dev/replace-credential': 'tuesday' }, start),
      slots: [legacy(), next],
      kubeconfig: kubeconfig('second', notes('kube-binder-next', 'Legacy/monday', start)),
    };
    expect(at(start + 1, parts)).toMatchObject({ action: undefined, at: start + hour });
    expect(at(start + 5 * hour, parts)).toMatchObject({ action: undefined, condition: { reason: 'ConsumerNotSeen' } });
  });

  it('goes over to tokens that expire, and back', () => {
    const marked = binding(wantsRotating, start);
    expect(at(start, { binding: marked, slots: [legacy()], kubeconfig: kubeconfig() })).toMatchObject({
      action: { type: 'createSlot', slot: 'kube-binder-next', mode: 'Rotating', madeFor: 'Rotating/' },
    });
    expect(
      at(start, { binding: marked, slots: [legacy(), anchor('kube-binder-next')], kubeconfig: kubeconfig() }),
    ).toMatchObject({
      action: {
        type: 'issueToken',
        slot: { metadata: { name: 'kube-binder-next' } },
        ledger: { slot: 'kube-binder-next', accountUid: 'account', previousExpires: undefined },
      },
    });
    expect(at(start, { binding: binding(), slots: [anchor('kube-binder')], kubeconfig: rotating() })).toMatchObject({
      action: { type: 'createSlot', slot: 'kube-binder-next', mode: 'Legacy' },
    });
  });

  it('refreshes at half the life, a little earlier for some, and says when that does not work', () => {
    const parts = { binding: binding(wantsRotating, start), slots: [anchor('kube-binder')], kubeconfig: rotating() };
    expect(at(start + day, parts)).toMatchObject({
      action: undefined,
      verdict: { kind: 'valid' },
      condition: { status: 'False', severity: '', reason: 'CredentialRefreshed' },
      at: start + 15 * day,
    });
    expect(at(start + 15 * day, parts)).toMatchObject({
      action: { type: 'issueToken', ledger: { previousExpires: start + 30 * day } },
      condition: undefined,
    });
    expect(at(start + 23 * day, parts)).toMatchObject({
      action: { type: 'issueToken' },
      condition: { status: 'True', reason: 'CredentialRefreshOverdue' },
    });
    expect(at(start + day, { ...parts, kubeconfig: rotating(start, { 'account-uid': 'account' }) })).toMatchObject({
      action: undefined,
      verdict: { kind: 'valid' },
    });
    const early = {
      ...parts,
      slots: [anchor('kube-binder', 'Rotating/', 'ffffffff-0000')],
      kubeconfig: rotating(start, { 'slot-uid': 'ffffffff-0000' }),
    };
    const { at: refresh = 0 } = at(start + day, early);
    expect(refresh).toBeLessThan(start + 14 * day);
    expect(refresh).toBeGreaterThan(start + 13 * day);
  });

  it('says before a consumer that was away is locked out', () => {
    const refreshed = rotating(start + 15 * day, { 'previous-expires': time(start + 30 * day) });
    const parts = (heartbeat: number): Parameters<typeof observed>[0] => ({
      binding: binding(wantsRotating, heartbeat),
      slots: [anchor('kube-binder')],
      kubeconfig: refreshed,
    });
    expect(at(start + 16 * day, parts(start))).toMatchObject({ condition: { reason: 'CredentialRefreshed' } });
    expect(at(start + 23 * day, parts(start))).toMatchObject({
      condition: {
        status: 'True',
        reason: 'ConsumerNotSeen',
        message: expect.stringContaining('expires at 2026-01-31T00:00:00Z'),
      },
    });
    expect(at(start + 23 * day, parts(start + 20 * day))).toMatchObject({
      condition: { reason: 'CredentialRefreshed' },
    });
  });

  it.each([
    ['its slot was made again', [anchor('kube-binder', 'Rotating/', 'another')], rotating()],
    [
      'its ServiceAccount was made again, as it is after a revocation that nobody saw the end of',
      [anchor('kube-binder')],
      rotating(start, { 'account-uid': 'former' }),
    ],
    ['its notes were lost', [anchor('kube-binder')], rotating(start, { expires: 'soon' })],
    [
      'it has no token',
      [anchor('kube-binder')],
      { ...rotating(), data: { kubeconfig: base64('clusters: [{}]\nusers: [{}]') } },
    ],
  ])('issues a token when %s', (_, slots, secret) => {
    expect(at(start + day, { binding: binding(wantsRotating, start), slots, kubeconfig: secret })).toMatchObject({
      action: { type: 'issueToken' },
    });
  });

  it('revokes: the ServiceAccount, then what tokens hang on, and nothing else', () => {
    const revoked = binding({ 'hawser.dev/revoke-credential': 'stolen laptop' });
    const parts = { binding: revoked, slots: [legacy(), anchor('kube-binder-next')], kubeconfig: kubeconfig() };
    expect(at(start, parts)).toMatchObject({ action: { type: 'deleteAccount', account } });
    expect(at(start, { ...parts, account: undefined })).toMatchObject({
      action: { type: 'deleteSlot', because: 'revoked' },
    });
    expect(at(start, { ...parts, account: undefined, slots: [] })).toMatchObject({
      action: undefined,
      verdict: { kind: 'revoked' },
      condition: { status: 'True', reason: 'CredentialRevoked', message: expect.stringContaining('stolen laptop') },
    });
    expect(at(start, { ...parts, account: undefined, slots: [{ ...legacy(), type: 'Opaque' }] })).toMatchObject({
      action: undefined,
      verdict: { kind: 'revoked' },
    });
  });

  it.each([
    ['ClusterBinding', {}, { 'hawser.dev/revoke-credential': 'lost' }],
    ['cluster namespace, which its consumer cannot fill', { 'hawser.dev/revoke-credential': 'lost' }, {}],
    [
      'cluster namespace, while the ClusterBinding says nothing of it',
      { 'hawser.dev/revoke-credential': 'lost' },
      { 'hawser.dev/credential': 'Rotating' },
    ],
  ])('revokes by an annotation of the %s', (_, onNamespace, onBinding) => {
    const named: KubeObject = {
      ...clusterNamespace,
      metadata: {
        ...clusterNamespace.metadata,
        annotations: { ...clusterNamespace.metadata.annotations, ...onNamespace },
      },
    };
    const parts = { namespace: named, binding: binding(onBinding), slots: [legacy()], kubeconfig: kubeconfig() };
    expect(at(start, parts)).toMatchObject({ action: { type: 'deleteAccount', account } });
    expect(at(start, { ...parts, account: undefined })).toMatchObject({
      action: { type: 'deleteSlot', because: 'revoked' },
    });
    expect(at(start, { ...parts, account: undefined, slots: [] })).toMatchObject({
      verdict: { kind: 'revoked' },
      condition: { reason: 'CredentialRevoked', message: expect.stringContaining('lost') },
    });
  });

  it.each([
    ['whose ClusterBinding is gone', { binding: undefined }],
    [
      'whose ClusterBinding is going, and is held up',
      { binding: { ...binding(), metadata: { ...binding().metadata, deletionTimestamp: time(start) } } },
    ],
    [
      'whose namespace is going, and is held up',
      {
        namespace: { ...clusterNamespace, metadata: { ...clusterNamespace.metadata, deletionTimestamp: time(start) } },
      },
    ],
  ])('revokes the access of a consumer %s', (_, parts) => {
    const base = observed(parts);
    const named = {
      ...clusterNamespace,
      ...base.namespace,
      metadata: {
        ...clusterNamespace.metadata,
        ...base.namespace?.metadata,
        annotations: { ...clusterNamespace.metadata.annotations, 'hawser.dev/revoke-credential': '' },
      },
    };
    expect(at(start, { ...parts, namespace: named })).toMatchObject({ action: { type: 'deleteAccount', account } });
    expect(at(start, { ...parts, namespace: named, account: undefined, slots: [] }).verdict).toEqual({
      kind: 'revoked',
    });
  });

  it.each([
    [
      'has it expire',
      { 'hawser.dev/credential': 'Rotating' },
      { action: { type: 'createSlot', slot: 'kube-binder-next', mode: 'Rotating' } },
    ],
    ['replaces it', replace, { action: { type: 'createSlot', slot: 'kube-binder-next', madeFor: 'Legacy/monday' } }],
  ])('%s by an annotation of the cluster namespace', (_, annotations, expected) => {
    const named: KubeObject = {
      ...clusterNamespace,
      metadata: {
        ...clusterNamespace.metadata,
        annotations: { ...clusterNamespace.metadata.annotations, ...annotations },
      },
    };
    expect(at(start, { namespace: named, slots: [legacy()], kubeconfig: kubeconfig() })).toMatchObject(expected);
  });

  it('makes a lost kubeconfig again out of a slot that fits', () => {
    expect(at(start, { binding: binding(wantsRotating), slots: [legacy()] })).toMatchObject({
      action: { type: 'createSlot', slot: 'kube-binder-next' },
    });
    expect(at(start, { binding: binding(wantsRotating), slots: [anchor('kube-binder')] })).toMatchObject({
      action: { type: 'issueToken', secret: undefined },
    });
  });
});
