import type { ControllerContext, ObjectProblem, Problem } from '@hawser/controller';
import type { InformerHandle } from '@hawser/informer';
import type { KubeObject } from '@hawser/client';
import type { Engagement, Sync, SyncCounts } from '@hawser/syncagent-sync';
import type { SyncRequest } from '../sync-factory.js';

/** Argument of `Sync.retire`. */
type Retirement = Parameters<Sync['retire']>[0];

/** A sync without synchronisation: it watches its resource, and records calls. */
export class RecordingSync implements Sync {
  readonly name = 'recording';
  readonly calls: string[] = [];
  readonly watches = new Map<string, InformerHandle<KubeObject>>();
  state: 'made' | 'started' | 'stopped' = 'made';
  surveyed = true;
  complete = true;
  lastSyncMs: number | undefined;
  pause: Sync['pause'];
  found: readonly ObjectProblem[] = [];
  trouble: readonly Problem[] = [];
  orphans = 0;
  held = 0;
  /** Makes the start fail. */
  failure: Error | undefined;

  constructor(readonly request: SyncRequest) {
    for (const engagement of request.engagements) this.add(engagement);
  }

  start(ctx: ControllerContext<'service'>): Promise<void> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    this.state = 'started';
    ctx.logger.debug('A recording sync starts.');
    this.request.onReport();
    return Promise.resolve();
  }

  stop(): Promise<void> {
    this.state = 'stopped';
    for (const watch of this.watches.values()) watch.release();
    return Promise.resolve();
  }

  add(engagement: Engagement): void {
    this.calls.push(`add ${engagement.url}`);
    this.watches.get(engagement.url)?.release();
    this.watches.set(
      engagement.url,
      engagement.informers.acquire<KubeObject>({ resource: this.request.kinds.kcp.resource }),
    );
  }

  remove(url: string): void {
    this.calls.push(`remove ${url}`);
    this.watches.get(url)?.release();
    this.watches.delete(url);
  }

  /** Names of the objects of all workspaces. */
  get objects(): readonly string[] {
    return [...this.watches.values()].flatMap((watch) => watch.list().map(({ metadata }) => metadata.name)).sort();
  }

  counts(): SyncCounts {
    const workspaces = [...new Set(this.request.engagements.flatMap(({ workspaces: bound }) => [...bound.names]))]
      .length;
    return {
      objects: this.objects.length,
      workspaces,
      failing: this.found.length,
      orphans: this.orphans,
      held: this.held,
    };
  }

  problems(): readonly ObjectProblem[] {
    return this.found;
  }

  troubles(): readonly Problem[] {
    return this.trouble;
  }

  why(): never {
    throw new Error('not asked');
  }

  plan(): never {
    throw new Error('not asked');
  }

  keys(): never {
    throw new Error('not asked');
  }

  copyOf(): never {
    throw new Error('not asked');
  }

  retire(how: Retirement): void {
    this.calls.push(`retire ${how}`);
  }

  holdersAt(): ReadonlyMap<string, number> {
    return new Map(this.held === 0 ? [] : [['a workspace that nobody shows', this.held]]);
  }

  remembered(): undefined {
    return undefined;
  }

  survey(): void {
    this.calls.push('survey');
  }

  recheck(): void {
    this.calls.push('recheck');
  }

  reread(): void {
    this.calls.push('reread');
  }
}
