import { type Binding, type Connection, apiVersion, connectionOf, fixedNames, labels } from '@hawser/core-kbind';
import type { KubeObject } from '@hawser/client';

import type { BindStep } from '../bind-step.js';
import type { BindPlan } from '../plan.js';
import type { Refusal } from '../refusal.js';
import type { CoreKbindObserved, CoreKbindWish, SecretSeen } from './observe.js';

/** Plans a wish in the terms of `core.kbind.io`: a Secret, a Connection, and a ClusterBinding or Binding. Pure. */
export function planCoreKbind(wish: CoreKbindWish, observed: CoreKbindObserved): BindPlan {
  const connection = chosenConnection(wish, observed);
  const found = observed.connections.find(({ metadata }) => metadata.name === connection);
  const secret = found?.spec.kubeconfigSecretRef.name ?? wish.secretName ?? `kubeconfig-${connection}`;
  const seen = observed.secrets.find(({ metadata }) => metadata.name === secret);
  return {
    secret,
    resources: wish.apis,
    refusals: [
      ...connectionRefusals(wish, observed, found, { secret, seen }),
      ...apiRefusals(wish, observed, connection),
      ...bindingRefusals(wish, observed, connection),
    ],
    steps: [
      ...(observed.isServed
        ? []
        : [{ kind: 'installCRDs', dialect: 'core-kbind', apiGroup: 'core.kbind.io' } as const]),
      ...(observed.hasNamespace ? [] : [{ kind: 'namespace', object: namespaceOf(fixedNames.namespace) } as const]),
      ...secretSteps(wish, secret, seen),
      ...(found === undefined ? [{ kind: 'connection', object: newConnection(connection, secret) } as const] : []),
      ...(observed.binding === undefined
        ? [{ kind: 'coreBinding', object: newBinding(wish, connection) } as const]
        : []),
    ],
    undecided: [],
  };
}

/**
 * Chooses the Connection: the named one; else that of the binding; else one with this very kubeconfig; else a new one.
 */
function chosenConnection(wish: CoreKbindWish, { connections, secrets, binding }: CoreKbindObserved): string {
  const same = new Set(secrets.filter(({ isSame }) => isSame).map(({ metadata }) => metadata.name));
  const alike = connections.find(
    ({ metadata, spec: { kubeconfigSecretRef: ref } }) =>
      metadata.deletionTimestamp === undefined && ref.namespace === fixedNames.namespace && same.has(ref.name),
  );
  return wish.connection ?? binding?.spec.connectionRef.name ?? alike?.metadata.name ?? wish.name;
}

function connectionRefusals(
  { secretName }: CoreKbindWish,
  { server }: CoreKbindObserved,
  found: Connection | undefined,
  { secret, seen }: { readonly secret: string; readonly seen: SecretSeen | undefined },
): readonly Refusal[] {
  const ref = found?.spec.kubeconfigSecretRef;
  const key = ref?.key ?? fixedNames.kubeconfigKey;
  if (
    ref !== undefined &&
    (ref.namespace !== fixedNames.namespace ||
      key !== fixedNames.kubeconfigKey ||
      (secretName ?? ref.name) !== ref.name)
  )
    return [
      {
        reason: 'ConnectionDiffers',
        actor: 'operator',
        remedy: 'names another Connection by --connection',
        message: `Connection "${found?.metadata.name ?? ''}" takes its kubeconfig from Secret ${ref.namespace}/${ref.name}, key ${key}, which cannot be changed.`,
      },
    ];
  if (seen === undefined || seen.isSame || seen.server === server) return [];
  return [
    {
      reason: 'SecretTaken',
      actor: 'operator',
      remedy: 'names another Connection by --connection, or another Secret by --secret',
      message: `Secret ${fixedNames.namespace}/${secret} is there and ${seen.server === undefined ? 'holds no kubeconfig' : `leads to ${seen.server}`}.`,
    },
  ];
}

function apiRefusals(
  { apis, namespace }: CoreKbindWish,
  { offered, installed }: CoreKbindObserved,
  connection: string,
): readonly Refusal[] {
  return apis.flatMap((api): readonly Refusal[] => {
    const crd = offered.get(api);
    const here = installed.get(api);
    const owner = here === undefined ? connection : connectionOf(here);
    if (crd !== 'unknown' && crd?.metadata.labels?.[labels.exported] !== 'true')
      return [
        {
          reason: 'NotExported',
          actor: 'provider',
          remedy: `labels the CRD: kubectl label crd ${api} ${labels.exported}=true`,
          message: crd === undefined ? `The provider has no CRD ${api}.` : `The provider does not offer ${api}.`,
        },
      ];
    if (crd !== 'unknown' && crd.spec.scope === 'Cluster' && namespace !== undefined)
      return [
        {
          reason: 'ClusterScopedAPI',
          actor: 'operator',
          remedy: 'binds it without --namespace',
          message: `${api} is cluster-scoped: it needs a ClusterBinding.`,
        },
      ];
    if (owner !== connection)
      return [
        {
          reason: 'ForeignCRD',
          actor: 'operator',
          remedy: 'deletes the CRD, or unbinds it there',
          message: `The CRD ${api} of the consumer ${owner === undefined ? 'was not installed by this konnector' : `belongs to Connection ${owner}`}.`,
        },
      ];
    return [];
  });
}

function bindingRefusals(
  { apis, name, namespace }: CoreKbindWish,
  { binding }: CoreKbindObserved,
  connection: string,
): readonly Refusal[] {
  if (binding === undefined) return [];
  const what = namespace === undefined ? `ClusterBinding "${name}"` : `Binding "${namespace}/${name}"`;
  if (binding.metadata.deletionTimestamp !== undefined)
    return [
      {
        reason: 'BindingTerminating',
        actor: 'operator',
        remedy: 'waits until it is gone, and binds again',
        message: `${what} is being deleted.`,
      },
    ];
  const bound = new Set(binding.spec.apis.map((api) => api.name));
  if (binding.spec.connectionRef.name === connection && apis.every((api) => bound.has(api))) return [];
  return [
    {
      reason: 'BindingDiffers',
      actor: 'operator',
      remedy: 'binds under another --name, or changes it with kubectl',
      message: `${what} is there and binds ${[...bound].join(', ')} of Connection ${binding.spec.connectionRef.name}.`,
    },
  ];
}

function secretSteps({ kubeconfig }: CoreKbindWish, name: string, seen: SecretSeen | undefined): readonly BindStep[] {
  const { namespace } = fixedNames;
  const data = { [fixedNames.kubeconfigKey]: Buffer.from(kubeconfig).toString('base64') };
  if (seen === undefined) {
    const object = { apiVersion: 'v1', kind: 'Secret', type: 'Opaque', metadata: { name, namespace }, data };
    return [{ kind: 'createSecret', object }];
  }
  const { uid, resourceVersion } = seen.metadata;
  return seen.isSame
    ? []
    : [{ kind: 'updateSecret', namespace, name, patch: { metadata: { uid, resourceVersion }, data } }];
}

function namespaceOf(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

function newConnection(name: string, secret: string): Connection {
  return {
    apiVersion,
    kind: 'Connection',
    metadata: { name },
    spec: { kubeconfigSecretRef: { namespace: fixedNames.namespace, name: secret } },
  };
}

function newBinding({ name, namespace, apis }: CoreKbindWish, connection: string): Binding {
  return {
    apiVersion,
    kind: namespace === undefined ? 'ClusterBinding' : 'Binding',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    spec: { connectionRef: { name: connection }, apis: apis.map((api) => ({ name: api })) },
  };
}
