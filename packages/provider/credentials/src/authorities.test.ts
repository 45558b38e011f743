import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject } from '@hawser/client';
import { kubeBindDialect, type ClusterBinding, type Secret } from '@hawser/kube-bind';
import { createCertificateAuthority } from '@hawser/testenv';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { hasNew, withoutLoss } from './authorities.js';
import { decide } from './decide.js';
import type { Decision } from './decision.js';
import { readKubeconfig, writeKubeconfig } from './kubeconfig-text.js';
import { ledgerAnnotations } from './ledger.js';

let [old, next, third] = ['', '', ''];
beforeAll(async () => {
  [old, next, third] = (await Promise.all(
    ['old', 'next', 'third'].map(
      async (name) => (await createCertificateAuthority(await mkdtemp(join(tmpdir(), 'hawser-ca-')), name)).cert,
    ),
  )) as [string, string, string];
});

describe('withoutLoss', () => {
  it.each<[string, boolean, () => readonly [string | undefined, string | undefined, string | undefined]]>([
    ['one more', true, () => [old, `${old}${next}`, `${old}${next}`]],
    [
      'one more, in another order and with words between them',
      true,
      () => [old, `# new\n${next}\n\n# old\n${old}`, `# new\n${next}\n\n# old\n${old}`],
    ],
    ['two more', true, () => [old, `${third}${old}${next}`, `${third}${old}${next}`]],
    ['the same', false, () => [old, old, old]],
    ['the same, written twice', false, () => [old, `${old}\n${old}`, `${old}\n${old}`]],
    ['another', true, () => [old, next, `${next}${old}`]],
    ['one more, one less', true, () => [`${old}${next}`, `${next}${third}`, `${next}${third}${old}`]],
    ['one less', false, () => [`${old}${next}`, next, `${next}${old}`]],
    ['those of a system', true, () => [undefined, old, undefined]],
    ['those of a system instead', false, () => [old, undefined, undefined]],
    [
      'what is not a certificate',
      false,
      () => [old, `${old}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`, undefined],
    ],
    ['what was no certificate', true, () => ['old', `${old}${next}`, undefined]],
  ])('of %s; something new: %s', (_, isNew, bundles) => {
    const [handedOut, wanted, expected] = bundles();
    expect(withoutLoss(handedOut, wanted)).toBe(expected);
    expect(hasNew(handedOut, wanted)).toBe(isNew);
  });
});

describe('a kubeconfig that lacks an authority', () => {
  const namespace = 'kube-bind-acme';
  const now = Date.UTC(2026, 0, 1);
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const home: KubeObject = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace, annotations: { 'backend.kube-bind.io/identity': 'acme' } },
  };
  const account: KubeObject = {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'kube-binder', namespace },
  };
  const binding: ClusterBinding = {
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'ClusterBinding',
    metadata: { name: 'cluster', namespace },
    spec: { kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' }, providerPrettyName: 'Lab' },
  };
  const slot: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/service-account-token',
    metadata: { name: 'kube-binder', namespace, annotations: { 'kubernetes.io/service-account.name': 'kube-binder' } },
    data: { token: base64('token') },
  };
  const decided = (caData: string, wanted: { readonly server?: string; readonly caData?: string }): Decision => {
    const server = 'https://provider.example';
    const kubeconfig: Secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'kubeconfig', namespace },
      data: { kubeconfig: base64(writeKubeconfig({ server, caData }, namespace, 'token')) },
    };
    return decide(
      { dialect: kubeBindDialect, tokenLifeMs: 86_400_000, overlapMs: 3_600_000 },
      { namespace: home, binding, account, slots: new Map([['kube-binder', slot]]), kubeconfig },
      { server, ...wanted },
      now,
    );
  };

  it('is written with the same token', () => {
    expect(decided(old, { caData: `${old}${next}` }).action).toMatchObject({
      type: 'writeToken',
      token: 'token',
      caData: `${old}${next}`,
      ledger: { slot: 'kube-binder', madeFor: 'Legacy/' },
    });
  });

  it('keeps the one that it has where it is swapped: its bearer may meet either', () => {
    expect(decided(old, { caData: next }).action).toMatchObject({
      type: 'writeToken',
      token: 'token',
      caData: `${next}${old}`,
    });
    expect(decided(`${next}${old}`, { caData: next })).toMatchObject({
      verdict: { kind: 'valid', outdated: ['certificate authority'] },
    });
  });

  it('keeps it where its token is refreshed, and not where somebody has it replaced', () => {
    const issued = now - 10 * 86_400_000;
    const anchor: Secret = {
      ...slot,
      type: 'Opaque',
      metadata: { ...slot.metadata, uid: 'slot', annotations: { 'hawser.dev/credential-made-for': 'Rotating/' } },
      data: {},
    };
    const ledger = ledgerAnnotations('kube-binder', {
      slot: 'kube-binder',
      madeFor: 'Rotating/',
      slotUid: 'slot',
      issued,
      expires: now + 86_400_000,
    });
    const annotations = Object.fromEntries(
      Object.entries(ledger).filter((entry): entry is [string, string] => entry[1] !== null),
    );
    const asked = (replace: Readonly<Record<string, string>>): Decision => {
      const kubeconfig: Secret = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'kubeconfig', namespace, annotations },
        data: {
          kubeconfig: base64(
            writeKubeconfig({ server: 'https://provider.example', caData: `${old}${next}` }, namespace, 'token'),
          ),
        },
      };
      const marked = {
        ...binding,
        metadata: { ...binding.metadata, annotations: { 'hawser.dev/credential': 'Rotating', ...replace } },
      };
      const slots = new Map([
        ['kube-binder', anchor] as const,
        ...(Object.keys(replace).length === 0
          ? []
          : [
              [
                'kube-binder-next',
                {
                  ...anchor,
                  metadata: {
                    ...anchor.metadata,
                    name: 'kube-binder-next',
                    annotations: { 'hawser.dev/credential-made-for': 'Rotating/again' },
                  },
                },
              ] as const,
            ]),
      ]);
      return decide(
        { dialect: kubeBindDialect, tokenLifeMs: 86_400_000, overlapMs: 3_600_000 },
        { namespace: home, binding: marked, account, slots, kubeconfig },
        { server: 'https://provider.example', caData: next },
        now,
      );
    };
    expect(asked({}).action).toMatchObject({ type: 'issueToken', caData: `${next}${old}` });
    const replaced = asked({ 'hawser.dev/replace-credential': 'again' }).action;
    expect(replaced).toMatchObject({ type: 'issueToken' });
    expect(replaced).not.toMatchObject({ caData: expect.anything() });
  });

  it.each<[string, () => Decision, readonly string[]]>([
    [
      'its server is another one, and its authority, too',
      () => decided(old, { caData: next, server: 'https://elsewhere.example' }),
      ['server', 'certificate authority'],
    ],
    ['one of its authorities is gone', () => decided(`${old}${next}`, { caData: next }), ['certificate authority']],
    [
      'its server is another one, too',
      () => decided(old, { caData: `${old}${next}`, server: 'https://elsewhere.example' }),
      ['server', 'certificate authority'],
    ],
  ])('stays, with a word, where %s', (_, decision, outdated) => {
    expect(decision()).toMatchObject({ verdict: { kind: 'valid', outdated } });
    expect(decision().action).toBeUndefined();
  });

  it('says then what is wanted', () => {
    expect(
      readKubeconfig(
        writeKubeconfig({ server: 'https://provider.example', caData: `${old}${next}` }, namespace, 'token'),
      )?.caData,
    ).toBe(`${old}${next}`);
  });
});
