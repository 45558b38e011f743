import type { Client, Resource, UnstructuredObject } from '@hawser/client';
import type { ClusterKey } from '@hawser/informer';

import { chooseCopy, mayBeCopy } from './choose-copy.js';
import { expectedKeyOf } from './decide-creation.js';
import { decideOpening, decideUnbound } from './decide-opening.js';
import type { Decision } from './decision.js';
import type { Engagement } from './engagement.js';
import { hasFinalizer } from './finalizer.js';
import type { ObjectMemory } from './object-memory.js';
import type { PairMemory, PairSettings, Placement } from './observed.js';
import { isOfAnotherAgent } from './other-agent.js';
import type { PairView } from './pair.js';
import { ownerOfPrimary, placementOf, primarySettings, subjectOf } from './primary.js';
import type { ReconcileOptions } from './reconcile-options.js';
import { selectionOf } from './selection.js';
import { namespaces } from './service-namespaces.js';
import type { StateDraft } from './state-draft.js';
import { waiting } from './verdicts.js';

/** A published object to work on. */
export interface OpenedObject {
  readonly kind: 'opened';
  readonly key: string;
  readonly identity: ClusterKey;
  readonly view: PairView;
  readonly settings: PairSettings;
  readonly draft: StateDraft;
  readonly client: Client;
  readonly path: string | undefined;
}

/** The object to work on, or why no work is possible. */
export type Opened = { readonly kind: 'nothing'; readonly decision: Decision } | OpenedObject;

/** Reads an object from the caches and the state Secrets. Writes nothing. */
export class ObjectOpener {
  readonly #options: ReconcileOptions;
  readonly #memory: ObjectMemory;

  constructor(options: ReconcileOptions, memory: ObjectMemory) {
    this.#options = options;
    this.#memory = memory;
  }

  open(identity: ClusterKey, key: string): Opened {
    const { cluster } = identity;
    const { kcp, copies, primary } = this.#options;
    const engagement = kcp.engagementOf(cluster);
    if (engagement === undefined)
      return nothing(
        decideUnbound(
          cluster,
          copies.of(identity).some((copy) => !isOfAnotherAgent(copy, primary.agentName) && mayBeCopy(copy)),
        ),
      );
    const cache = kcp.cache(this.#onKcp, cluster);
    if (cache?.hasSynced !== true) return nothing(waiting('cache'));
    const source = cache.get(identity);
    // A restored backup brings a released object back, with its uid.
    const { uid, deletionTimestamp } = source?.metadata ?? {};
    if (deletionTimestamp !== undefined && uid !== undefined && uid === this.#memory.of(key)?.released)
      return nothing({ actions: [], verdict: { kind: 'absent' } });
    return this.#openPair(identity, key, engagement, source);
  }

  get #onKcp(): Resource {
    return this.#options.primary.kinds.kcp.resource;
  }

  #openPair(identity: ClusterKey, key: string, engagement: Engagement, source: UnstructuredObject | undefined): Opened {
    const { copies, primary, state, retirement, isRelatedInOtherSync } = this.#options;
    const { cluster } = identity;
    const path = primary.rules.workspacePaths ? engagement.workspaces.pathOf(cluster) : undefined;
    const placement = (object: UnstructuredObject): Placement => placementOf(primary, object, cluster, path);
    const chosen = chooseCopy(copies.of(identity), () =>
      source === undefined ? undefined : expectedKeyOf(source, this.#settings(identity, path), placement),
    );
    const opening = decideOpening({
      source,
      chosen,
      keepsCopies: retirement() === 'keep',
      lacksPath: primary.rules.workspacePaths && path === undefined,
      selection: () => this.#selection(cluster, source),
    });
    if (opening.kind === 'nothing') return opening;
    const destination = chosen.kind === 'one' ? chosen.copy : undefined;
    if (opening.selected && this.#isInStep(identity, key, { source, destination, path }))
      return nothing({ actions: [], verdict: { kind: 'inStep' } });
    const draft = state.open(subjectOf(primary, identity));
    const view: PairView = {
      source,
      destination,
      standing: chosen.kind === 'one' ? chosen.standing : undefined,
      last: draft.last(ownerOfPrimary(primary, identity)),
      remembered: draft.exists,
      memory: {
        ...this.#memory.forView(key),
        ...deletionSeen(source),
        ...(chosen.kind === 'several' ? { gone: 'none' } : {}),
      },
      placement,
      isNeededByOthers: () => isRelatedInOtherSync(identity),
      selected: opening.selected,
    };
    const client = engagement.clientFor(cluster);
    return { kind: 'opened', key, identity, view, settings: this.#settings(identity, path), draft, client, path };
  }

  /** Computes hashes: not for an object in step. */
  #settings(identity: ClusterKey, path: string | undefined): PairSettings {
    const { primary, retirement } = this.#options;
    return {
      ...primarySettings(primary, identity, path),
      forcedDeletion: retirement() === 'drain',
      letGo: retirement() === 'keep',
      ...(retirement() === undefined ? {} : { pause: undefined }),
    };
  }

  #selection(cluster: string, source: UnstructuredObject | undefined): ReturnType<typeof selectionOf> {
    const {
      kcp,
      primary: {
        rules: { filter },
      },
    } = this.#options;
    return source === undefined
      ? 'selected'
      : selectionOf(
          source,
          cluster,
          filter,
          filter.namespace === undefined ? undefined : kcp.cache(namespaces, cluster),
        );
  }

  /** Unchanged since it was in step, and the pushed content is remembered. */
  #isInStep(identity: ClusterKey, key: string, stand: Parameters<ObjectMemory['isSettled']>[1]): boolean {
    const { state, primary, retirement } = this.#options;
    return (
      retirement() === undefined &&
      this.#memory.of(key) === undefined &&
      this.#memory.isSettled(key, stand) &&
      state.has(subjectOf(primary, identity))
    );
  }
}

/** The deletion of an earlier object of that name does not concern this one. */
function deletionSeen(source: UnstructuredObject | undefined): PairMemory {
  if (source === undefined) return {};
  if (source.metadata.deletionTimestamp === undefined) return { deletionSeen: undefined, released: undefined };
  return hasFinalizer(source) ? { deletionSeen: true } : {};
}

function nothing(decision: Decision): Opened {
  return { kind: 'nothing', decision };
}
