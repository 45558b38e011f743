import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { equal, parse } from '@hawser/json';
import { type ClusterBinding, type Secret, trueCondition } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { nextClusterBindingStatus } from './commit.js';
import { decide } from './decide.js';

const recordings = fileURLToPath(new URL('../../../testing/testenv/recorded', import.meta.url));
const folders = readdirSync(recordings).filter((name) => name.startsWith('kube-bind-'));

function read<T>(folder: string, side: 'consumer' | 'provider', resource: string): readonly T[] {
  const lists = parse(readFileSync(join(recordings, folder, `${side}.json`), 'utf8')) as unknown as Readonly<
    Record<string, readonly T[]>
  >;
  return Object.entries(lists).flatMap(([path, items]) => (path.endsWith(`/${resource}`) ? items : []));
}

describe('objects of the Go konnector', () => {
  it.each(folders)('%s: need no write before the next heartbeat', (folder) => {
    const [object] = read<ClusterBinding>(folder, 'provider', 'clusterbindings');
    if (object === undefined) throw new Error('no ClusterBinding');
    const source = read<Secret>(folder, 'provider', 'secrets').find(
      ({ metadata }) =>
        metadata.name === object.spec.kubeconfigSecretRef.name && metadata.namespace === object.metadata.namespace,
    )!;
    const ref = object.status!.consumerSecretRef!;
    const secret = read<Secret>(folder, 'consumer', 'secrets').find(
      ({ metadata }) => metadata.name === ref.name && metadata.namespace === ref.namespace,
    )!;
    const nowMs = Date.parse(object.status!.lastHeartbeatTime!) + 60_000;
    const decision = decide({
      clusterBinding: { kind: 'found', object },
      providerSecret: { kind: 'found', secret: source, kubeconfig: source.data?.[object.spec.kubeconfigSecretRef.key] },
      consumerSecrets: [{ ...ref, keys: ['kubeconfig'], reading: { kind: 'found', secret } }],
      version: object.status!.konnectorVersion!,
      heartbeat: { intervalMs: 300_000, periodMs: 140_000 },
      nowMs,
    });
    if (decision.kind !== 'report') throw new Error(decision.kind);
    expect(decision.mirrors).toEqual([]);
    expect(decision.secretValid).toEqual(trueCondition('SecretValid'));
    expect(
      equal(
        nextClusterBindingStatus(
          object.status!,
          decision.status,
          [trueCondition('SecretValid'), decision.validVersion],
          nowMs,
        ),
        object.status,
      ),
    ).toBe(true);
  });
});
