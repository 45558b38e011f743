import { type ObjectKey, type UnstructuredObject, keyOf } from '@hawser/client';
import type { ControllerContext, ObjectProblem, Problem } from '@hawser/controller';
import { parseClusterKey } from '@hawser/informer';
import { clusterNameOf } from '@hawser/kcp-api';

import { isMarked } from './choose-copy.js';
import type { Decision } from './decision.js';
import type { Engagement } from './engagement.js';
import { hasFinalizer, holdersOf } from './finalizer.js';
import type { Retirement } from './observed.js';
import type { ObjectState, Sync, SyncCounts, SyncOptions } from './sync-options.js';
import { SyncParts } from './sync-parts.js';
import { troublesOf } from './troubles.js';

/** A started sync. */
export interface Run extends Omit<Sync, 'name' | 'start' | 'stop' | 'pause'> {
  /** Resolves when the caches of the service cluster are filled; workspaces fill one by one. */
  filled(): Promise<void>;
  close(): Promise<void>;
}

export function openRun(options: SyncOptions, ctx: ControllerContext<'service'>): Run {
  return new SyncRun(options, ctx);
}

class SyncRun implements Run {
  readonly #options: SyncOptions;
  readonly #parts: SyncParts;

  constructor(options: SyncOptions, ctx: ControllerContext<'service'>) {
    this.#options = options;
    this.#parts = new SyncParts(options, ctx);
  }

  async filled(): Promise<void> {
    await this.#parts.ready;
    this.survey();
  }

  add(engagement: Engagement): void {
    this.#parts.recoveries.add(engagement.url, engagement.recovery);
    this.#parts.kcp.add(engagement);
  }

  remove(url: string): void {
    this.#parts.recoveries.remove(url);
    this.#parts.kcp.remove(url);
  }

  counts(): SyncCounts {
    const { kcp, reconciler, worklist, reports, neighbourhood } = this.#parts;
    const held = kcp.engagements.reduce((sum, { url }) => sum + this.#own(url).filter(hasFinalizer).length, 0);
    return {
      objects: kcp.engagements.reduce((sum, { url }) => sum + this.#countAt(url), 0) - reconciler.notSelected.size,
      workspaces: worklist.clusters().length,
      failing: reports.failing,
      orphans: reports.orphans,
      held: held - neighbourhood.heldForOthers(),
    };
  }

  problems(): readonly ObjectProblem[] {
    return this.#parts.reports.problems();
  }

  get lastSyncMs(): number | undefined {
    return this.#parts.reports.lastActedMs;
  }

  get surveyed(): boolean {
    return this.#parts.survey.once;
  }

  get complete(): boolean {
    return this.#parts.isComplete;
  }

  holdersAt(url: string): ReadonlyMap<string, number> | undefined {
    const handle = this.#parts.kcp.handleAt(url, this.#parts.resource);
    return handle?.hasSynced === true ? holdersOf(handle.list()) : undefined;
  }

  remembered(): ReadonlySet<string> | undefined {
    const { survey, state } = this.#parts;
    return survey.isOver ? state.clusters() : undefined;
  }

  troubles(): readonly Problem[] {
    const { kinds, rules, namespace } = this.#options;
    const { copies, state, kcp, watches, isStateLeft } = this.#parts;
    return troublesOf({ kinds, rules, namespace, copies, state, kcp, watches, isStateLeft });
  }

  survey(): void {
    this.#parts.survey.run();
  }

  why(object: string): ObjectState {
    return { verdict: this.plan(object).verdict, problem: this.#parts.reports.of(object) };
  }

  plan(object: string): Decision {
    return this.#parts.reconciler.plan(object);
  }

  keys(): readonly string[] {
    return this.#parts.worklist.keys();
  }

  copyOf(object: string): ObjectKey | undefined {
    const found = this.#parts.copies.of(parseClusterKey(object));
    const copy = found.find(isMarked) ?? found[0];
    return copy === undefined ? undefined : keyOf(copy);
  }

  recheck(): void {
    this.#parts.failures.retryAll();
    this.#parts.worklist.addPrimaries();
    this.#parts.worklist.addCopies(() => true);
  }

  reread(): void {
    const { copies, kcp, resource, reconciler, related } = this.#parts;
    copies.informer.relist();
    for (const handle of kcp.handles(resource)) handle.relist();
    reconciler.forgetRefusals();
    related.forgetRefusals();
    this.recheck();
  }

  retire(how: Retirement): void {
    this.#parts.retirement = how;
    this.recheck();
  }

  close(): Promise<void> {
    return this.#parts.close();
  }

  /** The objects of a virtual workspace, without those served through another one. */
  #own(url: string): readonly UnstructuredObject[] {
    const { kcp, resource } = this.#parts;
    const objects = kcp.handleAt(url, resource)?.list() ?? [];
    const hasOverlaps = kcp.engagements.some(({ workspaces }) => workspaces.hasOverlaps);
    return hasOverlaps
      ? objects.filter((object) => kcp.engagementOf(clusterNameOf(object) ?? '')?.url === url)
      : objects;
  }

  #countAt(url: string): number {
    const { kcp, resource } = this.#parts;
    const hasOverlaps = kcp.engagements.some(({ workspaces }) => workspaces.hasOverlaps);
    return hasOverlaps ? this.#own(url).length : (kcp.handleAt(url, resource)?.size ?? 0);
  }
}
