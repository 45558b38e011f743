import {
  type Answer,
  type ApiRequest,
  type ApiServerOptions,
  type Exchange,
  Exchanges,
  type Fault,
  type Faults,
  type ListeningServer,
  type RequestInfo,
  type ResponseSink,
  type UserInfo,
  guardedAnswer,
  notFound,
  notImplemented,
  requestInfoOf,
} from '@hawser/apiserver';
import { type Clock, type Random, systemClock } from '@hawser/clock';
import { workspaceAdmission } from './admission/admission.js';
import type { JsonObject } from '@hawser/json';
import { Controllers } from './controllers/controllers.js';
import type { ShardEndpoint } from './controllers/slices.js';
import { makeLogicalCluster } from './controllers/workspaces.js';
import { WORKSPACES } from './kinds/types.js';
import type { LogicalCluster } from './logical-cluster.js';
import { makeWorkspace } from './make-workspace.js';
import { type Move, type MoveOptions, beginMove, migrating } from './move.js';
import { adminGroup } from './policy.js';
import type { Shard } from './shard.js';
import { virtualPathOf } from './virtual/path.js';
import { VirtualWorkspaces } from './virtual/virtual-workspaces.js';
import { denied } from './virtual/refusals.js';
import { World } from './world.js';

export interface KcpOptions extends Pick<ApiServerOptions, 'clock' | 'random' | 'kubernetesVersion'> {
  /** Faults per request. `path` is relative to the whole server; the request info, to the workspace. */
  readonly faults?: Faults;
  /** Workspaces are on the first one by default. Default: one, `root`. */
  readonly shards?: readonly string[];
  /** Bearer tokens of users. */
  readonly users?: Readonly<Record<string, UserInfo>>;
  /** Changes that a shard keeps for watches. Default 10 000. */
  readonly history?: number;
  /** Receives unexpected exceptions. Default: prints them to stderr. */
  readonly report?: (error: unknown) => void;
}

export interface WorkspaceOptions {
  /** Shard of the workspace. Default: the first. */
  readonly shard?: string;
  /** Owner. Default: the administrator. */
  readonly owner?: string;
  /** Name of its logical cluster. Default: random letters. */
  readonly cluster?: string;
}

/** kcp in this process, without sockets. */
export interface Kcp extends ListeningServer {
  readonly clock: Clock;
  /** Bearer token of {@link kcpAdministrator}. */
  readonly adminToken: string;
  handle(request: ApiRequest, sink: ResponseSink): Exchange;
  setLocation(location: { readonly url: string; readonly authorityPem: string }): void;
  /** By path or by name of the logical cluster; undefined if there is none (yet). */
  find(workspace: string): LogicalCluster | undefined;
  /** Replaces the faults from now on. */
  setFaults(faults: Faults | undefined): void;
  /**
   * Creates a workspace and its missing parents, and resolves when it is ready.
   * @param path `root:org:team`
   */
  createWorkspace(path: string, options?: WorkspaceOptions): Promise<LogicalCluster>;
  /** Adds a shard for new workspaces. */
  addShard(name: string): void;
  /** Loses a shard with its workspaces: its watches break, and its endpoints vanish from slices. Not the first one. */
  removeShard(name: string): void;
  /**
   * Starts the move of a workspace, by path or by name of its logical cluster, to another shard (kcp after 0.32.3).
   * @throws Error if there is none, or it is there, or already moves.
   */
  beginMove(workspace: string, shard: string, options?: MoveOptions): Move;
  /** Replaces what slices list for the shards that bind an export; undefined: one URL for each. */
  setEndpoints(endpoints: ((shards: readonly ShardEndpoint[]) => readonly JsonObject[]) | undefined): void;
  /** Drops history: older watches get a 410. On all shards, or on one. */
  compact(shard?: string): void;
  stop(how?: 'graceful' | 'abrupt'): void;
}

/** An administrator of all workspaces. */
export const kcpAdministrator: UserInfo = { name: 'kcp-admin', groups: [adminGroup, 'system:authenticated'] };

const ADMIN_UID = '00000000-0000-4000-8000-000000000001';

/** Starts with only workspace `root`. Waits for real time only through the clock. */
export function createKcp(options: KcpOptions = {}): Kcp {
  return new EmbeddedKcp(options);
}

class EmbeddedKcp implements Kcp {
  readonly clock: Clock;
  readonly adminToken: string;
  readonly #world: World;
  readonly #controllers: Controllers;
  readonly #virtual: VirtualWorkspaces;
  readonly #exchanges: Exchanges;
  readonly #report: (error: unknown) => void;
  #faults: Faults | undefined;
  #stopped = false;

  constructor(options: KcpOptions) {
    const random: Random = options.random ?? Math.random;
    this.clock = options.clock ?? systemClock;
    this.adminToken = tokenOf(random);
    this.#report =
      options.report ??
      ((error) => {
        process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
      });
    this.#faults = options.faults;
    const { kubernetesVersion } = options;
    this.#world = new World({
      clock: this.clock,
      random,
      shards: options.shards ?? ['root'],
      history: options.history,
      adminToken: tokenOf(random),
      report: (error) => {
        this.#report(error);
      },
      tokens: { ...options.users, [this.adminToken]: { ...kcpAdministrator, uid: ADMIN_UID } },
      server: { ...(kubernetesVersion === undefined ? {} : { kubernetesVersion }) },
    });
    this.#world.admission = (cluster) => workspaceAdmission(this.#world, cluster);
    this.#exchanges = new Exchanges(this.clock);
    this.#virtual = new VirtualWorkspaces(this.#world);
    this.#controllers = new Controllers(this.#world, this.clock, (error) => {
      this.#report(error);
    });
    const [first] = this.#world.shards;
    if (first === undefined) throw new Error('kcp needs a shard');
    const root = this.#world.create('root', 'root', first);
    makeLogicalCluster(this.#controllers, root, { type: 'root:root', ownedBy: undefined, createdBy: undefined });
  }

  handle(request: ApiRequest, sink: ResponseSink): Exchange {
    const asked = this.#askedOf(request);
    const fault = this.#faults?.(request, asked.info);
    return this.#exchanges.start(fault?.wrap?.(sink) ?? sink, fault, () =>
      this.#stopped || fault?.instead === 'reset' ? undefined : this.#answer(asked, fault),
    );
  }

  setFaults(faults: Faults | undefined): void {
    this.#faults = faults;
  }

  setLocation(location: { readonly url: string; readonly authorityPem: string }): void {
    this.#world.setLocation(location);
  }

  find(workspace: string): LogicalCluster | undefined {
    return this.#world.find(workspace);
  }

  async createWorkspace(path: string, options: WorkspaceOptions = {}): Promise<LogicalCluster> {
    const existing = this.#world.find(path);
    if (existing !== undefined) return existing;
    const colon = path.lastIndexOf(':');
    if (colon < 0) throw new Error(`${path} is not a path of a workspace below root`);
    const parent = await this.createWorkspace(path.slice(0, colon));
    return makeWorkspace(this.#world, parent, path.slice(colon + 1), {
      ...options,
      owner: options.owner ?? kcpAdministrator.name,
    });
  }

  addShard(name: string): void {
    if (this.#world.shards.some((each) => each.name === name)) throw new Error(`there is a shard ${name} already`);
    this.#controllers.follow(this.#world.addShard(name));
  }

  removeShard(name: string): void {
    const shard = this.#world.shards.find((each) => each.name === name);
    if (shard === undefined || shard === this.#world.shards[0]) throw new Error(`shard ${name} cannot be removed`);
    this.#world.removeShard(shard);
    shard.watches.endAll();
    this.#controllers.lookAgain();
  }

  beginMove(workspace: string, shard: string, options: MoveOptions = {}): Move {
    const cluster = this.#world.find(workspace);
    const to = this.#world.shards.find(({ name }) => name === shard);
    if (cluster === undefined || to === undefined)
      throw new Error(`there is no workspace ${workspace}, or no shard ${shard}`);
    return beginMove(this.#world, cluster, to, options, () => {
      this.#controllers.lookAgain();
    });
  }

  setEndpoints(endpoints: ((shards: readonly ShardEndpoint[]) => readonly JsonObject[]) | undefined): void {
    this.#world.endpoints = endpoints;
    this.#controllers.lookAgain();
  }

  compact(shard?: string): void {
    for (const each of this.#world.shards) if (shard === undefined || each.name === shard) each.store.compact();
  }

  stop(how: 'graceful' | 'abrupt' = 'graceful'): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#controllers.stop();
    for (const cluster of this.#world.clusters()) cluster.server.stop(how);
    for (const { watches } of this.#world.shards) if (how === 'graceful') watches.endAll();
    if (how === 'graceful')
      queueMicrotask(() => {
        this.#exchanges.resetAll();
      });
    else this.#exchanges.resetAll();
  }

  /** Resolves a path. */
  #askedOf(asked: ApiRequest): Asked {
    const request = { ...asked, path: asked.path.replace(/^\/via\/[^/]+(?=\/(?:services|shards)\/)/u, '') };
    const [, cluster, rest = ''] = /^\/clusters\/([^/?]+)(.*)$/u.exec(request.path) ?? [];
    if (cluster !== undefined) {
      const within = { ...request, path: rest.startsWith('/') ? rest : `/${rest}` };
      return {
        kind: 'workspace',
        reference: decodeURIComponent(cluster),
        request: within,
        info: requestInfoOf(within),
      };
    }
    const [, shardName, below = ''] = /^\/shards\/([^/?]+)(.*)$/u.exec(request.path) ?? [];
    const shard =
      shardName === undefined
        ? this.#world.shards[0]
        : this.#world.shards.find(({ name }) => name === decodeURIComponent(shardName));
    const path = shardName === undefined ? request.path : below;
    if (shard !== undefined && path.startsWith('/services/'))
      return {
        kind: 'virtual',
        shard,
        path,
        request,
        info: requestInfoOf({ method: request.method, path: virtualPathOf(path)?.rest ?? path }),
      };
    return { kind: 'server', request, info: requestInfoOf(request) };
  }

  #answer(asked: Asked, fault: Fault | undefined): Answer {
    const cluster = asked.kind === 'workspace' ? this.#world.find(asked.reference) : undefined;
    const target = asked.kind === 'virtual' ? virtualPathOf(asked.path)?.target : cluster?.name;
    if (target !== undefined && this.#world.isMoving(target))
      return guardedAnswer(asked.request, [], this.#report, () => migrating(asked.info));
    if (cluster !== undefined) return cluster.server.answer(asked.request, asked.info, fault);
    const warnings: string[] = [];
    return guardedAnswer(asked.request, warnings, this.#report, () => {
      if (fault?.instead !== undefined && fault.instead !== 'reset') return { kind: 'whole', ...fault.instead };
      switch (asked.kind) {
        case 'workspace':
          if (asked.reference === '*') throw notImplemented('a request to all workspaces of a shard');
          // Does not reveal whether a logical cluster of this name ever existed.
          if (asked.reference.includes(':')) throw notFound(WORKSPACES, asked.reference);
          throw denied(asked.info, this.#world.require('root').server.authenticate(asked.request));
        case 'virtual':
          return this.#virtual.answer(asked.request, asked.path, asked.shard, warnings, fault?.staleRevision);
        case 'server':
          if (UNCLUSTERED.includes(asked.info.path)) return this.#virtual.rootAnswer(asked.request, asked.info);
          throw denied(asked.info, this.#world.require('root').server.authenticate(asked.request));
      }
    });
  }
}

/** Target of a request. */
type Asked =
  | { readonly kind: 'workspace'; readonly reference: string; readonly request: ApiRequest; readonly info: RequestInfo }
  | {
      readonly kind: 'virtual';
      readonly shard: Shard;
      readonly path: string;
      readonly request: ApiRequest;
      readonly info: RequestInfo;
    }
  /** No workspace. */
  | { readonly kind: 'server'; readonly request: ApiRequest; readonly info: RequestInfo };

const UNCLUSTERED = ['/healthz', '/readyz', '/livez', '/version'];

function tokenOf(random: Random): string {
  return Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join('');
}
