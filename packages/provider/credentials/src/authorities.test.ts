import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject } from '@hawser/client';
import { kubeBindDialect, type ClusterBinding, type Secret } from '@hawser/kube-bind';
import { createCertificateAuthority } from '@hawser/testenv';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { haveGrown } from './authorities.js';
import { decide } from './decide.js';
import type { Decision } from './decision.js';
import { readKubeconfig, writeKubeconfig } from './kubeconfig-text.js';

let [old, next, third] = ['', '', ''];
beforeAll(async () => {
  [old, next, third] = await Promise.all(['old', 'next', 'third'].map(async (name) => (await createCertificateAuthority(await mkdtemp(join(tmpdir(), 'hawser-ca-')), name)).cert)) as [string, string, string];
});

describe('haveGrown', () => {
  it.each<[string, boolean, () => readonly [string | undefined, string | undefined]]>([
    ['one more', true, () => [old, `${old}${next}`]],
    ['one more, in another order and with words between them', true, () => [old, `# new\n${next}\n\n# old\n${old}`]],
    ['two more', true, () => [old, `${third}${old}${next}`]],
    ['the same', false, () => [old, old]],
    ['the same, written twice', false, () => [old, `${old}\n${old}`]],
    ['another', false, () => [old, next]],
    ['one more, one less', false, () => [`${old}${next}`, `${next}${third}${third}`]],
    ['one less', false, () => [`${old}${next}`, next]],
    ['those of a system', false, () => [undefined, old]],
    ['those of a system instead', false, () => [old, undefined]],
    ['what is no certificate', false, () => [old, `${old}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`]],
    ['what was no certificate', false, () => ['old', `${old}${next}`]],
  ])('of %s: %s', (_, grown, bundles) => {
    expect(haveGrown(...bundles())).toBe(grown);
  });
});

describe('a kubeconfig whose authorities have grown', () => {
  const namespace = 'kube-bind-acme';
  const now = Date.UTC(2026, 0, 1);
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const home: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, annotations: { 'backend.kube-bind.io/identity': 'acme' } } };
  const account: KubeObject = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'kube-binder', namespace } };
  const binding: ClusterBinding = { apiVersion: 'kube-bind.io/v1alpha2', kind: 'ClusterBinding', metadata: { name: 'cluster', namespace }, spec: { kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig' }, providerPrettyName: 'Lab' } };
  const slot: Secret = { apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/service-account-token', metadata: { name: 'kube-binder', namespace, annotations: { 'kubernetes.io/service-account.name': 'kube-binder' } }, data: { token: base64('token') } };
  const decided = (caData: string, wanted: { readonly server?: string; readonly caData?: string }): Decision => {
    const server = 'https://provider.example';
    const kubeconfig: Secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'kubeconfig', namespace }, data: { kubeconfig: base64(writeKubeconfig({ server, caData }, namespace, 'token')) } };
    return decide({ dialect: kubeBindDialect, tokenLifeMs: 86_400_000, overlapMs: 3_600_000 }, { namespace: home, binding, account, slots: new Map([['kube-binder', slot]]), kubeconfig }, { server, ...wanted }, now);
  };

  it('is written with the same token', () => {
    expect(decided(old, { caData: `${old}${next}` }).action).toMatchObject({ type: 'writeToken', token: 'token', ledger: { slot: 'kube-binder', madeFor: 'Legacy/' } });
  });

  it.each<[string, () => Decision, readonly string[]]>([
    ['its authority is another one altogether', () => decided(old, { caData: next }), ['certificate authority']],
    ['one of its authorities is gone', () => decided(`${old}${next}`, { caData: next }), ['certificate authority']],
    ['its server is another one, too', () => decided(old, { caData: `${old}${next}`, server: 'https://elsewhere.example' }), ['server', 'certificate authority']],
  ])('stays, with a word, where %s', (_, decision, outdated) => {
    expect(decision()).toMatchObject({ verdict: { kind: 'valid', outdated } });
    expect(decision().action).toBeUndefined();
  });

  it('says then what is wanted', () => {
    expect(readKubeconfig(writeKubeconfig({ server: 'https://provider.example', caData: `${old}${next}` }, namespace, 'token'))?.caData).toBe(`${old}${next}`);
  });
});
