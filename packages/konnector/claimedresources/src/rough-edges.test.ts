import type { UnstructuredObject } from '@hawser/client';
import { type APIServiceBinding, resources } from '@hawser/kube-bind';
import { copyPatch } from '@hawser/konnector-sync';
import { roughEdge } from '@hawser/testenv';
import { expect } from '@jest/globals';
import { kubeBindMarks } from './kube-bind-marks.js';
import { protectionOf } from './protection.js';
import { changeOf, wantedContent } from './wanted.js';

const secret = (name: string, metadata: object = {}): UnstructuredObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'team', uid: 'u', resourceVersion: '1', ...metadata },
  data: { k: 'dg==' },
});

roughEdge(
  '§17.7 kubeconfigs',
  'no kubeconfig of the konnector goes to a provider, whatever is claimed',
  () => {
    const binding = {
      metadata: { name: 'b' },
      spec: { kubeconfigSecretRef: { namespace: 'team', name: 'kc', key: 'kubeconfig' } },
    } as APIServiceBinding;
    const things = { bindings: () => [binding], secrets: () => [] };
    expect(protectionOf(things, resources.secrets, 'consumer', 'team', secret('kc'))).toBe(
      'the konnector connects with it',
    );
    expect(protectionOf(things, resources.secrets, 'consumer', 'team', secret('other'))).toBe(undefined);
  },
  'kubeconfigs-claimed',
);

roughEdge(
  '§17.7 foreign metadata',
  'labels that others set on a copy stay when it is written',
  () => {
    const context = {
      namespaces: { consumer: 'team', provider: 'kube-bind-x-team' },
      identities: { consumer: 'cc', provider: 'cn' },
      marks: kubeBindMarks,
    };
    const copy = secret('s', { labels: { 'kube-bind.io/owner': 'provider', theirs: 'yes' } });
    const { patch } = copyPatch({
      copy,
      ...changeOf(copy, wantedContent({ ...secret('s'), data: { k: 'bmV3' } }, 'provider', context), [], kubeBindMarks),
      annotations: {},
    }) as { readonly patch: unknown };
    expect(patch).toMatchObject({ data: { k: 'bmV3' } });
    expect(JSON.stringify(patch)).not.toContain('theirs');
  },
  'foreign-metadata-overwritten',
);
