import { type SideRights as AnySideRights, compareRightsOf } from '@hawser/preview';

import type { BindingView } from './binding-view.js';
import type { ExplainContext } from './context.js';
import { type CoreKbindView, viewCoreKbind } from './core-kbind/explain.js';
import { connectionRoles, coreKbindRoles, kbindBindingRoles } from './core-kbind/rights.js';
import { type NeededRole, type RightsSettings, bindingRoles, konnectorRoles } from './rights.js';
import { type Viewed, viewBindings } from './view-bindings.js';

/** The rights of a konnector on one side. */
export type SideRights = AnySideRights<'consumer' | 'provider'>;

export interface RightsOptions {
  /** Limits the result to this binding. */
  readonly binding?: string | undefined;
  /** ServiceAccount of the konnector on the consumer. Absent: compares the rights of the kubeconfig. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string } | undefined;
  /** Namespace of the konnector, for its Lease. */
  readonly namespace: string;
}

/**
 * Compares what the konnector needs on the consumer and on each provider with what it has. @throws ApiError if bindings
 * cannot be listed
 */
export async function explainRights(context: ExplainContext, options: RightsOptions): Promise<readonly SideRights[]> {
  const viewed = await viewBindings(context, { binding: options.binding, dryRun: false });
  if (viewed.kind === 'notServed' && context.coreKbind === undefined) throw viewed.error;
  const found = viewed.kind === 'viewed' ? viewed : { kind: 'viewed' as const, all: [], views: [], context };
  const coreKbind = await viewCoreKbind(context, { binding: options.binding, dryRun: false, objects: 'none' });
  return await rightsFor(context, found, coreKbind, options);
}

/**
 * The same for bindings already read. Asks for rights with `context` itself: the questions store nothing, and are
 * nevertheless POSTs.
 */
export async function rightsFor(
  context: ExplainContext,
  { views, context: guarded }: Extract<Viewed, { kind: 'viewed' }>,
  coreKbind: CoreKbindView,
  { serviceAccount, namespace, binding }: RightsOptions,
): Promise<readonly SideRights[]> {
  const { consumer, signal } = context;
  const settings: RightsSettings = {
    dialect: context.dialect,
    migrates: context.migratesStoredVersions ?? false,
    adopts: context.adoptsFromProvider ?? false,
    shares: context.sharesWork ?? false,
  };
  const needed = views.flatMap((view) => bindingRoles(view, settings));
  const ofCoreKbind = context.coreKbind === undefined ? [] : coreKbindRights(coreKbind, binding);
  const onConsumer = await compareRightsOf<'consumer' | 'provider'>(
    { client: consumer, account: serviceAccount, reader: guarded.consumer, signal },
    'consumer',
    [
      ...konnectorRoles(namespace, settings, context.coreKbind !== 'only'),
      ...(context.coreKbind === undefined ? [] : coreKbindRoles),
      ...[...needed, ...ofCoreKbind.flatMap(({ roles }) => roles)].filter(({ side }) => side === 'consumer'),
    ],
  );
  return [
    onConsumer,
    ...(await onProviders(context, views, settings)),
    ...(await onConnections(context, coreKbind, ofCoreKbind)),
  ];
}

/** Needs of Connections and their bindings on both sides. `binding`: only this one. */
function coreKbindRights(
  { connections, bindings }: CoreKbindView,
  binding: string | undefined,
): readonly { readonly connection: string; readonly roles: readonly NeededRole[] }[] {
  const wanted = bindings.filter(
    ({ metadata: { namespace, name } }) =>
      binding === undefined || binding === name || binding === `${namespace ?? ''}/${name}`,
  );
  return connections
    .map((connection) => {
      const { name } = connection.metadata;
      const own = wanted.filter(({ spec }) => spec.connectionRef.name === name);
      const isAsked = binding === undefined || own.length > 0;
      return {
        connection: name,
        roles: isAsked ? [...connectionRoles(connection), ...own.flatMap(kbindBindingRoles)] : [],
      };
    })
    .filter(({ roles }) => roles.length > 0);
}

async function onConnections(
  context: ExplainContext,
  { providers }: CoreKbindView,
  needed: ReturnType<typeof coreKbindRights>,
): Promise<readonly SideRights[]> {
  const sides: SideRights[] = [];
  for (const { connection, roles } of needed) {
    const config = providers.get(connection)?.config;
    if (config === undefined) continue;
    const compared = await compareRightsOf<'consumer' | 'provider'>(
      { client: context.connect(config), signal: context.signal },
      'provider',
      roles.filter(({ side }) => side === 'provider'),
    );
    sides.push({ ...compared, server: `${config.server}, Connection ${connection}` });
  }
  return sides;
}

/** Bindings of one cluster namespace share their kubeconfig's user. */
async function onProviders(
  context: ExplainContext,
  views: readonly BindingView[],
  settings: RightsSettings,
): Promise<readonly SideRights[]> {
  const groups = Map.groupBy(
    views.filter(({ provider }) => provider !== undefined),
    ({ provider }) => `${provider?.server ?? ''} ${provider?.clusterNamespace ?? ''}`,
  );
  const sides: SideRights[] = [];
  for (const group of groups.values()) {
    const [first] = group;
    if (first?.provider === undefined) continue;
    const { server, config } = first.provider;
    const roles = group.flatMap((view) => bindingRoles(view, settings)).filter(({ side }) => side === 'provider');
    const user = { client: context.connect(config), signal: context.signal };
    sides.push({ ...(await compareRightsOf<'consumer' | 'provider'>(user, 'provider', roles)), server });
  }
  return sides;
}
