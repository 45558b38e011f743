import { backoffDelay } from '@hawser/clock';
import { type ControllerContext, type Problem, type Result, done } from '@hawser/controller';
import { ChangedShapes } from '@hawser/informer';
import { canonical } from '@hawser/json';
import type { PublishedResource } from '@hawser/syncagent-api';
import type { PublishedKinds } from '@hawser/syncagent-sync';
import type { Caches, ClusterNames } from './caches.js';
import { type Seen, decideLook, decideSync, waitingState } from './decide-look.js';
import { definitionName } from './definition-name.js';
import type { Endings } from './endings.js';
import type { Engagements } from './engagements.js';
import type { Keys } from './keys.js';
import type { FoundKinds, KindsFinder } from './kinds-finder.js';
import type { PublicationJournal } from './publication-journal.js';
import type { PublicationStates } from './publication-states.js';
import { isDeleted } from './retirement.js';
import type { RunningSyncs } from './running-syncs.js';
import { isServed } from './served.js';
import { isOlder, isTwin } from './twins.js';
import type { EngagedVirtualWorkspace } from './virtual-workspace.js';

/** Delay between checks whether kcp serves a resource: watch events trigger earlier ones. */
const servedBackoff = { initialMs: 250, capMs: 10_000 };

export interface PublicationLooksOptions {
  readonly ctx: ControllerContext<ClusterNames>;
  readonly caches: Caches;
  readonly engagements: Engagements;
  readonly endings: Endings;
  readonly journal: PublicationJournal;
  readonly kinds: KindsFinder;
  readonly syncs: RunningSyncs;
  readonly states: PublicationStates;
  readonly keys: Keys;
  /** Annotations that a sync depends on. */
  readonly annotations: readonly string[];
  readonly endpointsKnown: () => boolean;
  readonly endpointProblem: () => Problem | undefined;
}

/** Engagements that serve a resource now. `complete`: all of them do. */
interface Served {
  readonly engagements: readonly EngagedVirtualWorkspace[];
  readonly complete: boolean;
}

/** Processes PublishedResources one by one, and runs the wanted sync of each. */
export class PublicationLooks {
  readonly #options: PublicationLooksOptions;
  readonly #shapes: ChangedShapes;
  /** Number of looks in a row without a complete answer. */
  readonly #looks = new Map<string, number>();

  constructor(options: PublicationLooksOptions) {
    this.#options = options;
    this.#shapes = new ChangedShapes(options.ctx.clock);
  }

  /** Resets the count after a change that may be the answer. `of` undefined: for all. */
  forgetLooks(of?: string): void {
    if (of === undefined) this.#looks.clear();
    else this.#looks.delete(of);
  }

  async look(of: string, signal: AbortSignal): Promise<Result> {
    const { caches, syncs, states, keys } = this.#options;
    const object = caches.published(of);
    const running = syncs.get(of);
    // Another PublishedResource may have its name by now.
    if (running !== undefined && running.uid !== object?.metadata.uid) await syncs.gone(of, running, signal);
    if (object !== undefined && (await this.#follow(object, signal)) === 'cacheLags') return done;
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) this.#lookAtEndings(of);
    const look = decideLook(this.#observe(of, object));
    switch (look.kind) {
      case 'forget':
        this.#forget(of);
        return done;
      case 'wait':
        return done;
      case 'stop':
        await syncs.stop(of);
        states.conclude(of, look.state);
        return done;
      case 'conclude':
        states.conclude(of, look.state);
        return done;
      case 'bringInStep': {
        const result = await this.#bringInStep(look.object, signal);
        if (running !== undefined) keys.report(of);
        return result;
      }
    }
  }

  /**
   * Ends or goes on with a publication, by live reads: after a restored backup, the cache shows another state for a
   * while. Its event brings the PublishedResource back.
   */
  async #follow({ metadata }: PublishedResource, signal: AbortSignal): Promise<'followed' | 'cacheLags'> {
    const { ctx, endings, syncs } = this.#options;
    const { name: of, uid = of, deletionTimestamp } = metadata;
    const isGoing = deletionTimestamp !== undefined;
    if (isGoing ? !syncs.has(of) : !endings.has(uid)) return 'followed';
    if ((await isDeleted(ctx.clusters.service.client, of, uid, signal)) !== isGoing) return 'cacheLags';
    if (isGoing) syncs.end(of);
    else await endings.takeBack(uid);
    return 'followed';
  }

  #observe(of: string, object: PublishedResource | undefined): Seen {
    const { caches, engagements, endings, syncs, endpointsKnown, endpointProblem } = this.#options;
    return {
      object,
      isEnding: object !== undefined && endings.has(object.metadata.uid ?? of),
      older:
        object === undefined
          ? undefined
          : caches.publishedResources.list().find((other) => isTwin(other, object) && isOlder(other, object)),
      endpointsKnown: endpointsKnown(),
      isBound: engagements.size > 0,
      isRunning: syncs.has(of),
      problem: endpointProblem(),
    };
  }

  /** Also without a sync, as while it was switched off. */
  #lookAtEndings(of: string): void {
    for (const [uid, { publishedResource }] of this.#options.journal.all)
      if (publishedResource.metadata.name === of) this.#options.keys.end(uid);
  }

  async #bringInStep(object: PublishedResource, signal: AbortSignal): Promise<Result> {
    const { kinds: finder, syncs, endpointProblem } = this.#options;
    const { name: of } = object.metadata;
    const problem = endpointProblem();
    const found = await finder.find(object, signal);
    const served = await this.#served(of, found, signal);
    const wanted = this.#fingerprint(object, found.kinds);
    const present = syncs.get(of);
    present?.forgetMoved((cluster) => this.#options.engagements.shows(cluster));
    switch (
      decideSync({ wanted, running: present?.fingerprint, invalid: syncs.invalidOf(of) }, served.engagements.length > 0)
    ) {
      case 'replace':
        await syncs.replace(object, found, wanted, served.engagements, signal);
        break;
      case 'stop':
        await syncs.stop(of);
        break;
      case 'writeDown':
        await this.#writeDown(object, found, [...(present?.endpoints ?? []), ...urlsOf(served)], signal);
        break;
      case 'leave':
    }
    this.#engage(of, served.engagements);
    syncs.get(of)?.sync.survey();
    const result = this.#afterLook(of, found.kinds, served.complete, problem);
    const againInMs = this.#reread(of, served.engagements);
    return againInMs === undefined || result.kind === 'requeue'
      ? result
      : { kind: 'requeue', afterMs: againInMs, priority: 'background' };
  }

  /** Records the publication before the first object is touched. Writes nothing if it is up to date. */
  async #writeDown(
    object: PublishedResource,
    found: FoundKinds,
    endpoints: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const { journal } = this.#options;
    const sorted = [...new Set(endpoints)].sort();
    if (!journal.isWritten(object.metadata.name, found, sorted)) await journal.write(object, found, sorted, signal);
  }

  /** Rereads everything some time after a schema change on one side. Returns when to come back for that. */
  #reread(of: string, engagements: readonly EngagedVirtualWorkspace[]): number | undefined {
    const running = this.#options.syncs.get(of);
    if (running === undefined) return undefined;
    const { kcp } = running.kinds;
    const definition = this.#options.caches.definitions.get({ name: definitionName(running.kinds) })?.metadata;
    const { due, againInMs } = this.#shapes.look(of, [
      {
        name: 'service',
        shape: definition === undefined ? undefined : `${definition.uid ?? ''}/${definition.generation ?? ''}`,
      },
      ...engagements.map(({ url, workspaces }) => ({ name: url, shape: workspaces.shapeOf(kcp.resource) })),
    ]);
    if (due.length > 0) running.sync.reread();
    return againInMs;
  }

  #afterLook(of: string, kinds: PublishedKinds, complete: boolean, problem: Problem | undefined): Result {
    const { ctx, syncs, states } = this.#options;
    const looks = complete ? 0 : (this.#looks.get(of) ?? 0) + 1;
    this.#looks.set(of, looks);
    if (!syncs.has(of) && !states.isInvalid(of)) states.conclude(of, waitingState(kinds.kcp.resource, looks, problem));
    return complete ? done : { kind: 'requeue', afterMs: backoffDelay(servedBackoff, looks, ctx.random) };
  }

  #fingerprint({ metadata, spec }: PublishedResource, kinds: PublishedKinds): string {
    const annotations = this.#options.annotations.map((key) => metadata.annotations?.[key] ?? null);
    // The kinds contain the rest of the spec by then.
    const { filter, naming, mutation, related, enableWorkspacePaths } = spec;
    return canonical([metadata.uid, { filter, naming, mutation, related, enableWorkspacePaths }, kinds, annotations]);
  }

  async #served(of: string, found: FoundKinds, signal: AbortSignal): Promise<Served> {
    const { engagements: all, syncs } = this.#options;
    const running = syncs.get(of);
    // Before the first workspace binds, lists of announced resources fail; each later workspace triggers a look.
    const ready = all.ready.filter(({ url, workspaces }) => !workspaces.isEmpty || running?.isEngaged(url) === true);
    const same = running !== undefined && canonical(running.kinds.kcp) === canonical(found.kinds.kcp);
    const answers = await Promise.all(
      ready.map(
        async (engagement) =>
          (same && running.isEngaged(engagement.url)) || this.#serves(of, engagement, found, signal),
      ),
    );
    const engagements = ready.filter((engagement, index) => answers[index] === true && all.has(engagement));
    return { engagements, complete: engagements.length === ready.length };
  }

  /** Checks one virtual workspace; an unreachable one does not delay the others. */
  async #serves(
    of: string,
    { url, workspaces, wildcard }: EngagedVirtualWorkspace,
    { kinds, schemaName }: FoundKinds,
    signal: AbortSignal,
  ): Promise<boolean> {
    try {
      return (
        workspaces.hasBound(kinds.kcp.resource, schemaName) || (await isServed(wildcard, kinds.kcp.resource, signal))
      );
    } catch (error) {
      if (signal.aborted) throw error;
      this.#options.ctx.logger.warn('A virtual workspace does not tell what it serves.', {
        publishedresource: of,
        url,
        error,
      });
      return false;
    }
  }

  #engage(of: string, engagements: readonly EngagedVirtualWorkspace[]): void {
    const { syncs, caches, engagements: all } = this.#options;
    const running = syncs.get(of);
    if (running === undefined) return;
    const paths = caches.published(of)?.spec.enableWorkspacePaths === true;
    for (const engagement of engagements) {
      if (!all.has(engagement)) continue;
      if (paths) engagement.workspaces.watchPaths();
      if (!running.isEngaged(engagement.url)) running.add(engagement);
    }
  }

  #forget(of: string): void {
    const { kinds, journal, states, syncs } = this.#options;
    for (const memory of [this.#shapes, kinds, journal, states, syncs]) memory.forget(of);
    this.#looks.delete(of);
  }
}

function urlsOf({ engagements }: Served): readonly string[] {
  return engagements.map(({ url }) => url);
}
