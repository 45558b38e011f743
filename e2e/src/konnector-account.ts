import { type Client, createClient } from '@hawser/client';
import type { SampleApi } from '@hawser/installation';
import { fixedNames } from '@hawser/kube-bind';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { eventually } from '@hawser/testenv';
import type { Plane } from './plane.js';
import { serviceAccountConnection } from './service-account.js';

export type BoundResource = Pick<SampleApi, 'group' | 'plural'>;

/** User of the konnectors' ServiceAccount. */
export const konnectorUser = `system:serviceaccount:${fixedNames.konnectorNamespace}:konnector`;

/** Cluster-scoped objects that the chart makes. */
export const konnectorClusterRole = `hawser-konnector-${fixedNames.konnectorNamespace}`;

/** The konnector's ServiceAccount on the consumer, with exactly the rights of `charts/konnector`. */
export interface KonnectorAccount {
  readonly connection: ConnectionConfig;
  /** Adds to the chart's `boundResources`, like an operator. Resolves when the rights take effect. */
  allow(resources: readonly BoundResource[]): Promise<void>;
}

/** `grant` installs the chart's rights for some values; `values`: besides `boundResources`. */
export async function createKonnectorAccount(
  consumer: Plane,
  grant: (values: Readonly<Record<string, unknown>>) => Promise<void>,
  values: Readonly<Record<string, unknown>> = {},
): Promise<KonnectorAccount> {
  const namespace = fixedNames.konnectorNamespace;
  const bound = new Map<string, Set<string>>();
  const install = async (): Promise<void> => {
    const boundResources = [...bound].map(([group, resources]) => ({ group, resources: [...resources] }));
    await grant({ ...values, boundResources });
  };
  await install();
  const connection = await serviceAccountConnection(consumer, namespace, 'konnector');

  return {
    connection,
    async allow(resources) {
      for (const { group, plural } of resources) bound.set(group, (bound.get(group) ?? new Set()).add(plural));
      await install();
      const client = createClient({ name: 'konnector-account', connection, userAgent: 'e2e' });
      try {
        // The API server learns of roles by a watch.
        for (const resource of resources)
          await eventually(() => mayPatch(client, resource), { timeoutMs: 30_000, intervalMs: 50 });
      } finally {
        await client.close();
      }
    },
  };
}

async function mayPatch(client: Client, { group, plural }: BoundResource): Promise<boolean> {
  const review = (await client.raw('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { group, resource: plural, verb: 'patch' } },
  })) as { readonly status: { readonly allowed: boolean } };
  return review.status.allowed;
}
