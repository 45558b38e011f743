import { isApiError, keyOf } from '@hawser/client';
import { type Binding, type Connection, annotations, parseAPIName, resources } from '@hawser/core-kbind';
import { type CustomResourceDefinition, customResourceDefinitions } from '@hawser/crd';
import { type Finding, type Standing, list, read, worst } from '@hawser/preview';

import type { ExplainContext } from '../context.js';
import type { ExplainOptions } from '../explain.js';
import { unlisted } from '../finding.js';
import type { BindingReport, ResourceReport } from '../report.js';
import { BLIND, SILENT, UNSETTLED, findingsOf, isBlind } from './findings.js';
import { type Liveness, livenessOf } from './liveness.js';
import { isOfAPI, objectReports, planned } from './object-reports.js';
import { type OpenedProvider, type Rehearsed, consumerTarget, rehearseCoreKbind } from './rehearsal.js';

/** All of `core.kbind.io` on a consumer, as a konnector sees it. */
export interface CoreKbindView {
  /** Reports on Connections, then on ClusterBindings and Bindings. */
  readonly reports: readonly BindingReport[];
  readonly connections: readonly Connection[];
  readonly bindings: readonly Binding[];
  /** Usable providers by the name of the Connection. */
  readonly providers: ReadonlyMap<string, OpenedProvider>;
}

const NOTHING: CoreKbindView = { reports: [], connections: [], bindings: [], providers: new Map() };

/**
 * How the Connections, ClusterBindings and Bindings of a consumer stand, with the requested objects. Empty if
 * `ExplainContext.coreKbind` leaves them out. @throws ApiError if they cannot be listed
 */
export async function viewCoreKbind(context: ExplainContext, options: ExplainOptions): Promise<CoreKbindView> {
  if (context.coreKbind === undefined) return NOTHING;
  const [connections, clusterBindings, bindings] = await Promise.all([
    listed<Connection>(context, resources.connections),
    listed<Binding>(context, resources.clusterBindings),
    listed<Binding>(context, resources.bindings),
  ]);
  const all = [...clusterBindings, ...bindings];
  if (connections.length + all.length === 0) return NOTHING;
  return await rehearseCoreKbind(context, options.dryRun, async (rehearsed) => {
    const explained = new Explained(context, options, rehearsed, { connections, bindings: all });
    await explained.readLiveness();
    const reports: BindingReport[] = [];
    for (const connection of connections) reports.push(explained.ofConnection(connection));
    for (const binding of all) reports.push(await explained.ofBinding(binding));
    return {
      reports: reports.filter((report) => isAsked(report, options)),
      connections,
      bindings: all,
      providers: rehearsed.providers,
    };
  });
}

/** A Binding may be named with or without its namespace. */
function isAsked({ kind, name }: BindingReport, { binding, kinds }: ExplainOptions): boolean {
  const isNamed = binding === undefined || binding === name || (kind === 'Binding' && name.endsWith(`/${binding}`));
  return isNamed && kinds?.includes(kind) !== false;
}

async function listed<T extends Connection | Binding>(
  { consumer, signal }: ExplainContext,
  resource: typeof resources.connections,
): Promise<readonly T[]> {
  const answer = await list<T>(consumer, resource, { signal });
  if (answer.kind === 'listed') return answer.items;
  if (answer.error.code === 'NotFound') return [];
  throw answer.error;
}

/** One look at everything. */
class Explained {
  readonly #context: ExplainContext;
  readonly #options: ExplainOptions;
  readonly #rehearsed: Rehearsed;
  readonly #connections: readonly Connection[];
  readonly #bindings: readonly Binding[];
  readonly #liveness = new Map<string, Liveness>();

  constructor(
    context: ExplainContext,
    options: ExplainOptions,
    rehearsed: Rehearsed,
    listed: { readonly connections: readonly Connection[]; readonly bindings: readonly Binding[] },
  ) {
    this.#context = context;
    this.#options = options;
    this.#rehearsed = rehearsed;
    this.#connections = listed.connections;
    this.#bindings = listed.bindings;
  }

  async readLiveness(): Promise<void> {
    for (const connection of this.#connections) {
      const { name } = connection.metadata;
      const provider = this.#rehearsed.providers.get(name)?.client;
      const { signal } = this.#context;
      this.#liveness.set(name, await livenessOf(connection, provider, this.#context.now(), signal));
    }
  }

  ofConnection(connection: Connection): BindingReport {
    const { name } = connection.metadata;
    const blind = this.#isBlind(name);
    const findings = blind
      ? [...findingsOf('Connection', connection, connection), BLIND]
      : findingsOf('Connection', this.#after(resources.connections, connection), connection);
    const writes = blind ? [] : this.#writesOf(connection);
    const late = this.#rehearsed.isSettled || findings.length > 0 ? [] : [UNSETTLED];
    const silent = writes.length > 0 && this.#liveness.get(name)?.alive !== true ? [SILENT] : [];
    return this.#report('Connection', connection, name, [...findings, ...late, ...silent], { resources: [], writes });
  }

  async ofBinding(binding: Binding): Promise<BindingReport> {
    const { namespace } = binding.metadata;
    const connection = (binding.spec as Partial<Binding['spec']> | undefined)?.connectionRef?.name ?? '';
    const blind = this.#isBlind(connection);
    const resource = namespace === undefined ? resources.clusterBindings : resources.bindings;
    const found = findingsOf('Binding', blind ? binding : this.#after(resource, binding), binding);
    const apis = apisOf(binding);
    // A CRD that is yet to be made cannot be served.
    const isNew = apis.some((api) => this.#makesCRD(api));
    const findings = isNew ? found.filter(({ reason }) => reason !== 'CustomResourceDefinitionNotEstablished') : found;
    const reports: ResourceReport[] = [];
    for (const api of apis) reports.push(await this.#ofAPI(binding, api, connection, isNew));
    const writes = blind
      ? []
      : this.#writesOf(binding).filter(({ subresource }) => !(isNew && subresource === 'status'));
    const kind = namespace === undefined ? 'ClusterBinding' : 'Binding';
    return this.#report(kind, binding, connection, findings, { resources: reports, writes });
  }

  #report(
    kind: BindingReport['kind'],
    { metadata: { namespace, name } }: Connection | Binding,
    connection: string,
    findings: readonly Finding[],
    { resources: reports, writes }: Pick<BindingReport, 'resources' | 'writes'>,
  ): BindingReport {
    const held = findings.some(({ reason }) => reason !== 'NotKnown');
    const own: Standing = held ? 'held' : findings.length > 0 ? 'unknown' : writes.length > 0 ? 'underWay' : 'inStep';
    const ref = this.#connections.find(({ metadata }) => metadata.name === connection)?.spec.kubeconfigSecretRef;
    const provider = this.#rehearsed.providers.get(connection);
    const liveness = this.#liveness.get(connection) ?? { alive: false };
    return {
      kind,
      name: namespace === undefined ? name : `${namespace}/${name}`,
      standing: worst([own, ...reports.map(({ standing }) => standing)]),
      findings,
      connection:
        connection === ''
          ? undefined
          : {
              name: connection,
              server: provider?.config.server ?? '',
              ...liveness,
              isSilent: provider === undefined || liveness.lastHeartbeat === undefined,
            },
      secret: ref === undefined ? undefined : `${ref.namespace}/${ref.name}`,
      export: undefined,
      resources: reports,
      claims: [],
      claimed: [],
      writes,
    };
  }

  async #ofAPI(binding: Binding, api: string, connection: string, isNew: boolean): Promise<ResourceReport> {
    const { consumer, signal } = this.#context;
    const crd = await read<CustomResourceDefinition>(consumer, customResourceDefinitions, { name: api }, { signal });
    const spec = crd.kind === 'found' ? crd.object.spec : undefined;
    const bound = this.#rehearsed.syncs.find(({ key, config }) => key === keyText(binding) && config.api === api);
    const base: ResourceReport = {
      name: api,
      names: spec?.names,
      namespaced: spec === undefined ? undefined : spec.scope === 'Namespaced',
      version: bound?.config.version,
      isolation: bound === undefined ? undefined : 'Identity',
      standing: bound === undefined ? (isNew ? 'underWay' : 'unknown') : 'inStep',
      objects: [],
    };
    const provider = this.#rehearsed.providers.get(connection)?.client;
    if (bound === undefined || provider === undefined) return base;
    const [trouble] = bound.sync.troubles();
    if (trouble !== undefined) return { ...base, standing: 'held', finding: { ...trouble } };
    const { objects, dryRun } = this.#options;
    const only = objects === 'all' || objects === 'none' ? undefined : objects(base);
    if (objects === 'none' || (objects !== 'all' && only === undefined)) return base;
    try {
      const { alive = false } = this.#liveness.get(connection) ?? {};
      const kind = spec?.names.kind ?? api;
      const { writes } = this.#rehearsed;
      const of = { context: this.#context, provider, bound, kind, writes, alive, dryRun };
      const reports = await objectReports(of, only);
      return { ...base, standing: worst(reports.map(({ standing }) => standing)), objects: reports };
    } catch (error) {
      if (!isApiError(error) || error.code === 'Aborted') throw error;
      return { ...base, standing: 'held', finding: unlisted(error) };
    }
  }

  /** The object as the konnector would leave it. */
  #after<T extends Connection | Binding>(resource: typeof resources.connections, object: T): T {
    const known = this.#rehearsed.world.known(consumerTarget, resource, keyOf(object));
    return known?.kind === 'present' ? (known.object as unknown as T) : object;
  }

  #isBlind(name: string): boolean {
    const connection = this.#connections.find(({ metadata }) => metadata.name === name);
    return connection !== undefined && isBlind(this.#after(resources.connections, connection), connection);
  }

  #makesCRD(api: string): boolean {
    return this.#rehearsed.writes.some(
      ({ verb, resource, key }) => verb === 'create' && isCRD(resource) && key.name === api,
    );
  }

  /**
   * Writes to the object itself and to the CRDs of a binding. A Connection also gets all other writes to its provider,
   * and those of no binding.
   */
  #writesOf(object: Connection | Binding): BindingReport['writes'] {
    return this.#rehearsed.writes.filter((write) => this.#ownerOf(write) === keyText(object)).map(planned);
  }

  /** The {@link keyText} that a write is for; undefined: for an object of an API. */
  #ownerOf(write: Rehearsed['writes'][number]): string | undefined {
    const { side, resource, key, after, before } = write;
    if (this.#rehearsed.syncs.some((bound) => isOfAPI(write, bound))) return undefined;
    if (side.kind === 'provider') return connectionText(side.connection);
    const own = key.namespace === undefined ? key.name : `${key.namespace}/${key.name}`;
    const isBinding = resource.group === resources.bindings.group && resource.resource !== 'connections';
    if (isBinding && this.#bindings.some((binding) => keyText(binding) === own)) return own;
    // A ClusterBinding made for a Connection has its name.
    if (resource.group === resources.bindings.group) return connectionText(key.name);
    const pinned = (after ?? before)?.metadata.annotations?.[annotations.connection];
    const user = this.#bindings.find((binding) => isCRD(resource) && apisOf(binding).includes(key.name));
    return user === undefined ? connectionText(pinned ?? this.#connections[0]?.metadata.name ?? '') : keyText(user);
  }
}

function connectionText(name: string): string {
  return `Connection ${name}`;
}

/** Unique among Connections and bindings; for a binding, its key. */
function keyText({ kind, spec, metadata: { namespace, name } }: Connection | Binding): string {
  if (kind === 'Connection' || 'kubeconfigSecretRef' in spec) return connectionText(name);
  return namespace === undefined ? name : `${namespace}/${name}`;
}

function isCRD({ group, resource }: { readonly group: string; readonly resource: string }): boolean {
  return group === customResourceDefinitions.group && resource === customResourceDefinitions.resource;
}

/** Once each, and only names of APIs. */
function apisOf({ spec }: Binding): readonly string[] {
  const apis = (spec as Partial<Binding['spec']> | undefined)?.apis ?? [];
  return [...new Set(apis.map(({ name }) => name))].filter((name) => parseAPIName(name) !== undefined);
}
