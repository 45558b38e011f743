import { type APIServiceBinding, resources } from '@hawser/kube-bind';
import { type SideRights as AnySideRights, compareRights, list, ownRights, reading, rightsOfServiceAccount } from '@hawser/preview';

import { type BindingView, viewBinding } from './binding-view.js';
import type { ExplainContext } from './context.js';
import { bindingRoles, konnectorRoles } from './rights.js';

/** The rights of a konnector on one side. */
export type SideRights = AnySideRights<'consumer' | 'provider'>;

export interface RightsOptions {
  /** Only for this binding. */
  readonly binding?: string | undefined;
  /** The konnector's on the consumer. Absent: what the kubeconfig may do is compared. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string } | undefined;
  /** Of the konnector, for its Lease. */
  readonly namespace: string;
}

/** What the konnector needs on the consumer and on each provider, and how that differs from what it has. @throws ApiError if bindings cannot be listed */
export async function explainRights(context: ExplainContext, { binding, serviceAccount, namespace }: RightsOptions): Promise<readonly SideRights[]> {
  const { consumer, signal } = context;
  const guarded: ExplainContext = { ...context, consumer: reading(consumer), connect: (config) => reading(context.connect(config)), now: () => context.now() };
  const bindings = await list<APIServiceBinding>(guarded.consumer, resources.apiServiceBindings, { signal });
  if (bindings.kind === 'failed') throw bindings.error;
  const views: BindingView[] = [];
  for (const one of bindings.items) if (binding === undefined || binding === one.metadata.name) views.push(await viewBinding(guarded, one, bindings.items, { dryRun: false }));

  const needed = views.flatMap(bindingRoles);
  const who = serviceAccount === undefined ? 'the user of the kubeconfig' : `ServiceAccount ${serviceAccount.namespace}/${serviceAccount.name}`;
  const onConsumer = await compareRights<'consumer' | 'provider'>('consumer', who, [...konnectorRoles(namespace), ...needed.filter(({ side }) => side === 'consumer')], () => (serviceAccount === undefined ? Promise.resolve(ownRights(consumer, signal)) : rightsOfServiceAccount(guarded.consumer, serviceAccount, signal)));
  return [onConsumer, ...(await onProviders(context, views))];
}

/** Bindings of one cluster namespace share their kubeconfig's user. */
async function onProviders(context: ExplainContext, views: readonly BindingView[]): Promise<readonly SideRights[]> {
  const groups = Map.groupBy(views.filter(({ provider }) => provider !== undefined), ({ provider }) => `${provider?.server ?? ''} ${provider?.clusterNamespace ?? ''}`);
  const sides: SideRights[] = [];
  for (const group of groups.values()) {
    const [first] = group;
    if (first?.provider === undefined) continue;
    const { server, config } = first.provider;
    const roles = group.flatMap(bindingRoles).filter(({ side }) => side === 'provider');
    const client = context.connect(config);
    sides.push({ ...(await compareRights<'consumer' | 'provider'>('provider', 'the user of the kubeconfig', roles, () => Promise.resolve(ownRights(client, context.signal)))), server });
  }
  return sides;
}
