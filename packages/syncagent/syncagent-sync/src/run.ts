import { isSameResource, keyOf, resourceName } from '@hawser/client';
import { backoffDelay } from '@hawser/clock';
import { type ControllerContext, type Problem, type Queue, coalesce, createFailures, createQueue, done } from '@hawser/controller';
import { type ClusterKey, clusterKey, parseClusterKey } from '@hawser/informer';
import { equal } from '@hawser/json';
import { identityOf, labels } from '@hawser/syncagent-api';

import { isMarked, mayBeCopy } from './choose-copy.js';
import { openCopies } from './copies.js';
import { createDependencies } from './dependencies.js';
import { elsewhere } from './elsewhere.js';
import { hasFinalizer } from './finalizer.js';
import { createKcpCaches } from './kcp-caches.js';
import type { Neighbour } from './neighbours.js';
import type { Retirement } from './observed.js';
import { isOfAnotherAgent } from './other-agent.js';
import type { PrimaryOptions } from './primary.js';
import { refusedRequest, unhandledProblem } from './problem-of.js';
import { createReconciler } from './reconcile.js';
import { createRecoveries } from './recoveries.js';
import { createRelated } from './related.js';
import { createRelatedUses, primaryId } from './related-uses.js';
import { createReports } from './reports.js';
import { createResourceKinds } from './resource-kinds.js';
import { createServiceNamespaces, namespaces as namespaceResource } from './service-namespaces.js';
import { createServiceWatches } from './service-watches.js';
import { createStateStore } from './state-store.js';
import { effortOf, stepText } from './step-text.js';
import type { Sync, SyncOptions } from './sync-options.js';
import { isRefusal, unreadable } from './unreadable.js';
import { createVanished } from './vanished.js';
import { createWorkspaceEvents } from './workspace-events.js';

/** A sync that has been started. */
export interface Run extends Omit<Sync, 'name' | 'start' | 'stop' | 'pause'> {
  /** Resolves when the caches of the service cluster are filled; workspaces fill up one by one. */
  filled(): Promise<void>;
  close(): Promise<void>;
}

/** Between looks at a workspace that is gone, at each of which so many state Secrets are deleted as may be. */
const FORGET_MS = 60_000;
/** Between looks whether a namespace is empty by now, each of which lists every type; also between looks at what may be forgotten. */
const OCCUPIED_BACKOFF = { initialMs: 5_000, capMs: 3_600_000 };

export function openRun(options: SyncOptions, ctx: ControllerContext<'service'>): Run {
  const { kinds, rules, concurrency = 24, isWhole = () => true } = options;
  const { clock, random, metrics } = ctx;
  const { client, informers, events } = ctx.clusters.service;
  const logger = ctx.logger.child({ publishedresource: options.publishedResource.name });
  const closing = new AbortController();
  const signal = AbortSignal.any([ctx.signal, closing.signal]);
  const dependencies = createDependencies();
  const failures = createFailures(clock, stepText, { effortOf, random });
  /** Caches of workspaces that have shown everything once. */
  const filled = new WeakSet<object>();
  /** Caches of workspaces whose objects have all been looked at. */
  const looked = new WeakSet<object>();
  /** Caches of related types that could not be filled at first. */
  const refused = new WeakSet<object>();
  let surveying = false;
  let surveyed = false;
  /** All that is remembered was compared with what there is. */
  let forgetting = false;
  let stateLeft = false;
  let retirement: Retirement | undefined;

  const tell = coalesce(() => { if (!closing.signal.aborted) options.onReport?.(); });
  const namespaces = createServiceNamespaces({ client, agentName: options.agentName, logger });
  /** How often each namespace was found to have something else in it. */
  const occupied = new Map<string, number>();
  const namespaceQueue: Queue = createQueue({
    name: 'syncagent-sync-namespaces', concurrency: 1, clock, random, logger, metrics, recoveries: [client.recovery],
    reconcile: async (namespace, aborted) => {
      if (await namespaces.left(namespace, () => copies.anyIn(namespace), aborted) === 'settled') {
        occupied.delete(namespace);
        return done;
      }
      const looks = (occupied.get(namespace) ?? 0) + 1;
      occupied.set(namespace, looks);
      return { kind: 'requeue', afterMs: backoffDelay(OCCUPIED_BACKOFF, looks, random), priority: 'background' };
    },
  });
  /** How often something of each logical cluster that is gone, or may be, was kept. */
  const kept = new Map<string, number>();
  const vanishedQueue: Queue | undefined = options.isGone === undefined ? undefined : createQueue({
    name: 'syncagent-sync-vanished', concurrency: 1, clock, random, logger, metrics, recoveries: [client.recovery],
    reconcile: async (cluster, aborted) => {
      switch (await vanished.look(cluster, aborted)) {
        case 'settled':
          kept.delete(cluster);
          return done;
        case 'more':
          return { kind: 'requeue', afterMs: FORGET_MS, priority: 'background' };
        case 'kept': {
          const looks = (kept.get(cluster) ?? 0) + 1;
          if (looks === 1) logger.info('No endpoint shows a workspace of which state Secrets are left. They stay, unless kcp says that it does not exist any more and nothing of it is left on the service cluster. If it was deleted, delete them by label.', { workspace: cluster, namespace: options.namespace, selector: `${labels.remoteCluster}=${cluster}` });
          kept.set(cluster, looks);
          return { kind: 'requeue', afterMs: backoffDelay(OCCUPIED_BACKOFF, looks, random), priority: 'background' };
        }
      }
    },
  });
  const readiness = Promise.withResolvers<undefined>();
  const queue: Queue = createQueue({
    name: 'syncagent-sync', concurrency, clock, random, logger, metrics, backoff: { initialMs: 100, capMs: 300_000 },
    recoveries: [client.recovery],
    retriesInMs: (key) => reconciler.retriesInMs(key),
    reconcile: (key, aborted) => (options.during === undefined ? reconciler.reconcile(key, aborted) : options.during(key, () => reconciler.reconcile(key, aborted))),
    onFailure: (key, error, times) => {
      const problem = unhandledProblem(error, times);
      if (problem === undefined) return;
      const identity = parseClusterKey(key);
      reports.tell(key, identity.cluster, kcp.cache(kinds.kcp.resource, identity.cluster)?.get(identity), [problem]);
    },
    ready: readiness.promise,
  });
  const recoveries = createRecoveries(() => { queue.recovered(); });
  const isElsewhere = elsewhere(options);
  const copies = openCopies(informers, kinds.service.resource, isElsewhere, (identity, copy, how) => {
    if (identity !== undefined) {
      const key = clusterKey(identity);
      if (how === 'reread') reconciler.unsettle(key);
      enqueue(key);
    }
    const { namespace } = copy.metadata;
    if (how === 'gone' && namespace !== undefined) namespaceQueue.add(namespace);
  });
  /** Workspaces that have come or gone: thousands do so at once where an endpoint does. */
  const workspaces = new Set<string>();
  const lookAtWorkspaces = coalesce(() => {
    if (closing.signal.aborted) return;
    const changed = new Set(workspaces);
    workspaces.clear();
    for (const cluster of changed) enqueueNamespace(cluster, undefined);
    enqueueCopies((cluster) => changed.has(cluster));
    // Of objects without a copy in workspaces that have gone nothing else tells.
    const gone = new Set([...changed].filter((cluster) => kcp.engagementOf(cluster) === undefined));
    if (gone.size > 0) enqueueAll(reconciler.knownIn(gone));
    if (isSurveyed()) lookForVanished(gone);
  });
  const kcp = createKcpCaches({
    changed(resource, key, object, before) {
      if (isSameResource(resource, kinds.kcp.resource)) {
        if (before?.metadata.resourceVersion === object.metadata.resourceVersion) reconciler.unsettle(clusterKey(key));
        enqueue(clusterKey(key));
        // One more, or one less.
        if (before === undefined) tell();
      } else if (rules.filter.namespace !== undefined && isSameResource(resource, namespaceResource) && !equal(before?.metadata.labels, object.metadata.labels)) enqueueNamespace(key.cluster, key.name);
      enqueueAll(dependencies.affectedBy({ side: 'kcp', resource, ...key, labels: [object.metadata.labels, ...(before === undefined ? [] : [before.metadata.labels])] }));
    },
    workspace(cluster) {
      workspaces.add(cluster);
      lookAtWorkspaces();
      tell();
    },
    state(resource, handle, { phase }) {
      tell();
      // No event will come: what waits for it is told.
      if (phase === 'waiting' && !refused.has(handle) && !isSameResource(resource, kinds.kcp.resource)) {
        refused.add(handle);
        enqueuePrimaries();
      }
      if (!handle.hasSynced || filled.has(handle)) {
        survey();
        return;
      }
      filled.add(handle);
      // What waited for this cache is looked at again, objects that it has just shown included, and so are copies whose objects may turn out to be missing.
      enqueueCopies(() => true);
      enqueuePrimaries();
      survey();
    },
  });
  const state = createStateStore({ client, informers, namespace: options.namespace, agentName: options.agentName });
  const vanished = createVanished({
    state, service: client, resource: kinds.service.resource, logger,
    published: { apiVersion: kinds.kcp.resource.group === '' ? kinds.kcp.resource.version : `${kinds.kcp.resource.group}/${kinds.kcp.resource.version}`, kind: kinds.kcp.kind },
    isUnseen: (cluster) => options.pause === undefined && retirement === undefined && isSurveyed() && kcp.engagementOf(cluster) === undefined,
    hasCopies: (cluster) => copies.anyOf(cluster),
    isGone: options.isGone ?? (() => Promise.resolve(false)),
    forgotten(cluster, path, count) {
      const what = count === 1 ? '1 state Secret is' : `${count} state Secrets are`;
      events.record(options.publishedResource, { type: 'Normal', reason: 'StateForgotten', message: `${what} deleted in namespace "${options.namespace}": workspace ${path} (${cluster}) does not exist any more, and nothing of its objects is left on the service cluster.` });
    },
  });
  const primary: PrimaryOptions = { kinds, rules, agentName: options.agentName, adoption: options.adoption, pause: options.pause, service: client, copies, namespaces, publishedResource: options.publishedResource.name, isElsewhere };
  const workspaceEvents = createWorkspaceEvents({ clientFor: (cluster) => kcp.clientFor(cluster), events, publishedResource: options.publishedResource, clock, random, logger, metrics });
  const reports = createReports({ clock, logger, events: workspaceEvents, told: options.events ?? 'lifecycle', changed: tell });
  const watches = createServiceWatches(informers, (resource, { metadata: { namespace, name, labels } }, before) => {
    enqueueAll(dependencies.affectedBy({ side: 'service', cluster: undefined, resource, namespace, name, labels: [labels, ...(before === undefined ? [] : [before.metadata.labels])] }));
  }, tell);
  const uses = createRelatedUses();
  const neighbour: Neighbour = {
    has: (thing) => uses.has(thing),
    holders: (place) => uses.holders(place),
    holds: (resource, object) => isSameResource(resource, kinds.kcp.resource) && retirement !== 'keep' && (!copies.informer.hasSynced || copies.of(object).some((copy) => !isOfAnotherAgent(copy, options.agentName) && mayBeCopy(copy))),
  };
  const leave = options.neighbours?.join(neighbour);
  const neighbours = (): readonly Neighbour[] => options.neighbours?.besides(neighbour) ?? [];
  const isRelatedElsewhere = (object: ClusterKey): boolean => {
    const id = primaryId(kinds.kcp.resource, object);
    return neighbours().some((other) => other.has(id));
  };
  const related = createRelated({
    uses, neighbours, rules: rules.related, kcp, service: client, watches, kinds: createResourceKinds(), namespaces, adoption: options.adoption, now: () => clock.now(), failures, surveyed: isSurveyed,
    looking: (key, dependency) => { dependencies.add(key, dependency); },
    acted: (cluster, about, action, result) => { reports.acted(cluster, about, action, result); },
    left(cluster, { reason, message }, held) {
      logger.warn('something that was synced is left', { workspace: cluster, reason: message });
      events.record(options.publishedResource, { type: 'Warning', reason, message });
      if (held !== undefined) workspaceEvents.record(cluster, held, { type: 'Warning', reason, message: 'Nothing refers to this object any more. The service provider has to see to what was made of it; until then the finalizer syncagent.kcp.io/cleanup stays.' });
    },
  });
  const reconciler = createReconciler({
    primary, kcp, copies, state, related, dependencies, failures, reports, clock, random,
    retirement: () => retirement,
    isRelatedElsewhere,
    onSelection: tell,
    onStateLeft() {
      if (stateLeft) return;
      stateLeft = true;
      tell();
    },
  });
  const ready = Promise.all([copies.synced(signal), state.synced(signal)]).then(() => undefined);
  ready.then(() => { readiness.resolve(undefined); }, () => undefined);
  kcp.open(kinds.kcp.resource);
  if (rules.filter.namespace !== undefined && kinds.kcp.scope === 'Namespaced') kcp.open(namespaceResource);
  for (const rule of rules.related) {
    kcp.open(rule.resources.kcp);
    watches.open(rule.resources.service);
  }

  return {
    async filled() {
      await ready;
      survey();
    },
    add(engagement) {
      recoveries.add(engagement.url, engagement.recovery);
      kcp.add(engagement);
    },
    remove(url) {
      recoveries.remove(url);
      kcp.remove(url);
    },
    counts: () => ({
      objects: kcp.handles(kinds.kcp.resource).reduce((sum, { size }) => sum + size, 0) - reconciler.notSelected.size,
      workspaces: kcp.engagements.reduce((sum, { workspaces }) => sum + [...workspaces.names].length, 0),
      failing: reports.failing,
      orphans: reports.orphans,
      held: kcp.handles(kinds.kcp.resource).reduce((sum, handle) => sum + handle.list().filter(hasFinalizer).length, 0) - heldForOthers(),
    }),
    problems: () => reports.problems(),
    troubles,
    get lastSyncMs() {
      return reports.lastActedMs;
    },
    get surveyed() {
      return surveyed;
    },
    get complete() {
      return isComplete();
    },
    heldAt(url) {
      const handle = kcp.handleAt(url, kinds.kcp.resource);
      return handle?.hasSynced === true ? handle.list().filter(hasFinalizer).length : undefined;
    },
    survey,
    why: (object) => ({ verdict: reconciler.plan(object).verdict, problem: reports.of(object) }),
    plan: (object) => reconciler.plan(object),
    keys,
    copyOf(object) {
      const found = copies.of(parseClusterKey(object));
      const copy = found.find(isMarked) ?? found[0];
      return copy === undefined ? undefined : keyOf(copy);
    },
    recheck,
    reread() {
      copies.informer.relist();
      for (const handle of kcp.handles(kinds.kcp.resource)) handle.relist();
      reconciler.forgetRefusals();
      related.forgetRefusals();
      recheck();
    },
    retire(how) {
      retirement = how;
      recheck();
    },
    async close() {
      leave?.();
      recoveries.close();
      closing.abort(new Error('sync stopped'));
      await Promise.all([queue.stop(), namespaceQueue.stop(), vanishedQueue?.stop()]);
      kcp.close();
      watches.close();
      copies.close();
      state.close();
    },
  };

  function recheck(): void {
    failures.retryAll();
    enqueuePrimaries();
    enqueueCopies(() => true);
  }

  function enqueue(key: string): void {
    // What has changed may be what an object was waiting for.
    queue.add(key, { resetBackoff: true });
  }

  function enqueueAll(keys: Iterable<string>): void {
    for (const key of keys) enqueue(key);
  }

  function keys(): readonly string[] {
    const primaries = kcp.engagements.flatMap(({ workspaces }) => [...workspaces.names].flatMap((cluster) => (kcp.cache(kinds.kcp.resource, cluster)?.list(undefined, cluster) ?? []).map((object) => clusterKey({ cluster, ...keyOf(object) }))));
    const copied = copies.all().flatMap((copy) => identityOf(copy) ?? []).map(clusterKey);
    return [...new Set([...primaries, ...copied])];
  }

  /** Objects whose finalizer stays because another sync needs them. */
  function heldForOthers(): number {
    if (neighbours().length === 0) return 0;
    return kcp.engagements.flatMap(({ workspaces }) => [...workspaces.names]).reduce((sum, cluster) =>
      sum + (kcp.cache(kinds.kcp.resource, cluster)?.list(undefined, cluster) ?? []).filter((object) => hasFinalizer(object) && isRelatedElsewhere({ cluster, ...keyOf(object) })).length, 0);
  }

  function enqueuePrimaries(): void {
    for (const { workspaces } of kcp.engagements) for (const cluster of workspaces.names) enqueueNamespace(cluster, undefined);
  }

  function enqueueNamespace(cluster: string, namespace: string | undefined): void {
    for (const object of kcp.cache(kinds.kcp.resource, cluster)?.list(namespace, cluster) ?? []) enqueue(clusterKey({ cluster, ...keyOf(object) }));
  }

  function enqueueCopies(wanted: (cluster: string) => boolean): void {
    for (const copy of copies.all()) {
      const identity = identityOf(copy);
      if (identity !== undefined && wanted(identity.cluster)) enqueue(clusterKey(identity));
    }
  }

  function isComplete(): boolean {
    return copies.informer.hasSynced && state.informer.hasSynced && kcp.engagements.length > 0 && kcp.handles(kinds.kcp.resource).every(({ hasSynced }) => hasSynced);
  }

  /** Each virtual workspace counts anew when it comes: before its objects were looked at, it is not known what they refer to. */
  function isSurveyed(): boolean {
    return isComplete() && isWhole() && kcp.handles(kinds.kcp.resource).every((handle) => looked.has(handle));
  }

  function lookForVanished(clusters: Iterable<string>): void {
    for (const cluster of clusters) if (kcp.engagementOf(cluster) === undefined) vanishedQueue?.add(cluster, { priority: 'background' });
  }

  /** Once all caches are filled, and the first look at every object is over, the absence of objects and of problems means something. */
  function survey(): void {
    if (surveying || closing.signal.aborted || !isComplete()) return;
    const handles = kcp.handles(kinds.kcp.resource);
    if (surveyed && handles.every((handle) => looked.has(handle))) {
      if (!isSurveyed()) return;
      enqueueAll(reconciler.takeAwaitingSurvey());
      if (!forgetting) lookForVanished(state.clusters());
      forgetting = true;
      return;
    }
    surveying = true;
    void queue.idle().then(() => {
      surveying = false;
      if (closing.signal.aborted) return;
      for (const handle of handles) looked.add(handle);
      surveyed = true;
      tell();
      // Also for one that came meanwhile.
      survey();
    });
  }

  function troubles(): readonly Problem[] {
    const found: Problem[] = [];
    for (const [what, informer] of [['The copies', copies.informer], ['What was synced last', state.informer]] as const) {
      const error = unreadable(informer.state);
      if (error === undefined) continue;
      const since = informer.hasSynced ? 'What changes there is not noticed.' : 'No object is synced.';
      found.push({ reason: 'ServiceClusterNotReadable', message: `${what} cannot be read. ${since} ${refusedRequest(error, 'service')}${isRefusal(error) ? '' : ' It is tried again by itself.'}`, actor: 'provider' });
    }
    const filtering = rules.filter.namespace !== undefined && kinds.kcp.scope === 'Namespaced' ? [namespaceResource] : [];
    const resources = [kinds.kcp.resource, ...filtering, ...rules.related.map(({ resources: { kcp: resource } }) => resource)];
    for (const handle of new Set(resources.flatMap((resource) => kcp.handles(resource)))) {
      const error = unreadable(handle.state);
      if (error === undefined) continue;
      const name = resourceName(handle.spec.resource);
      const remedy = isRefusal(error) ? `The APIExport has to serve or claim ${name}, and the agent needs the right to its content.`
        : `${handle.hasSynced ? `Changes of ${name} are not noticed.` : `Nothing that needs ${name} is synced, in any workspace of this endpoint.`} The operator has to see why kcp does not answer; it is tried again by itself.`;
      found.push({ reason: 'WorkspacesNotReadable', message: `${refusedRequest(error, 'kcp')} ${remedy}`, actor: 'operator' });
    }
    for (const { resource, error } of watches.unreadable) {
      const remedy = isRefusal(error) ? 'Grant list and watch.' : 'The provider must find out why the service cluster does not answer. Hawser tries again by itself.';
      found.push({ reason: 'RelatedNotWatched', message: `Changes of ${resourceName(resource)} are noticed only when the objects that they belong to change. ${refusedRequest(error, 'service')} ${remedy}`, actor: 'provider' });
    }
    if (stateLeft) found.push({ reason: 'StateSecretsStay', message: `The state Secrets of deleted objects stay in namespace "${options.namespace}", because the right to delete them is missing. Grant delete on Secrets there.`, actor: 'operator' });
    return found;
  }
}
