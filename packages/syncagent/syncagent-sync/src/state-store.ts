import {
  type Client,
  type KubeObject,
  type Resource,
  isAlreadyExists,
  isForbidden,
  isObjectNotFound,
} from '@hawser/client';
import type { Informer, InformerHandle, SharedInformers } from '@hawser/informer';
import {
  type StateSubject,
  decodeSnapshot,
  labels,
  sha1Hex,
  stateKey,
  stateSecretLabels,
  stateSecretName,
} from '@hawser/syncagent-api';

import { STATE_OF, STATE_WORKSPACE } from './marks.js';
import type { PairRecord } from './pair-record.js';
import { type Doubt, type StateDraft, createStateDraft, isAbout } from './state-draft.js';
import type { WorkspaceOrigin } from './vanished.js';

export const secrets: Resource = { group: '', version: 'v1', resource: 'secrets' };

/** The Secret for one published object and its related ones. */
export interface StateSecret extends KubeObject {
  readonly type?: string | undefined;
  readonly data?: Readonly<Record<string, string>> | undefined;
}

/**
 * The last pushed content, in one Secret for each published object (`spec/api-syncagent.md §11.2`). Watches only
 * Secrets with the label of state Secrets in the agent's namespace.
 */
export interface StateStore {
  /** Resolves when the Secrets are known. */
  synced(signal?: AbortSignal): Promise<void>;
  readonly informer: Pick<Informer<StateSecret>, 'state' | 'onStateChange' | 'hasSynced'>;
  /** Whether an object has a state Secret. */
  has(subject: StateSubject): boolean;
  /** Opens the state of one object, to be changed and written back. */
  open(subject: StateSubject): StateDraft;
  /**
   * Writes the changes of the draft, in one request at most. `origin`: the object's workspace, if known; written with
   * the rest.
   */
  flush(draft: StateDraft, signal: AbortSignal, origin?: WorkspaceOrigin): Promise<void>;
  /** Deletes the state. `left`: the right to delete is missing, and the Secret stays. */
  remove(subject: StateSubject, signal: AbortSignal): Promise<'gone' | 'left'>;
  /** A cluster was restored to an older state: what was pushed may differ from its objects. */
  doubt(doubt: Exclude<Doubt, 'nothing'>): void;
  /** An object was found in step with its state. */
  believe(subject: StateSubject): void;
  /** Logical clusters with any state. */
  clusters(): ReadonlySet<string>;
  /** Objects of a kind in a logical cluster with readable state of this very agent, and no other. */
  of(cluster: string, published: Pick<StateSubject, 'apiVersion' | 'kind'>): readonly RememberedObject[];
  /**
   * Deletes the Secret of such an object, in exactly the version in which it was found. `left`: the right to delete is
   * missing.
   */
  drop(object: RememberedObject, signal: AbortSignal): Promise<'gone' | 'left'>;
  close(): void;
}

/** The state of one object, existing or not. */
export interface RememberedObject {
  readonly secret: StateSecret;
  /** The object's workspace. Undefined: not recorded, as by a Go agent. */
  readonly origin: WorkspaceOrigin | undefined;
  readonly records: readonly PairRecord[];
  /** A further object was synced, and its place is not recorded. */
  readonly hasUnrecorded: boolean;
}

export interface StateStoreOptions {
  readonly client: Client;
  readonly informers: SharedInformers;
  readonly namespace: string;
  readonly agentName: string;
  /** Called when the service cluster was restored to older Secrets. */
  readonly onRestored: () => void;
}

export function createStateStore(options: StateStoreOptions): StateStore {
  return new StateSecrets(options);
}

const BY_OBJECT = 'object';
const BY_CLUSTER = 'cluster';

class StateSecrets implements StateStore {
  readonly informer: InformerHandle<StateSecret>;
  readonly #options: StateStoreOptions;
  /**
   * Uids of Secrets that we have deleted and the watch still shows: a second look at a deleted object deletes nothing
   * again.
   */
  readonly #removed = new Set<string>();
  readonly #doubted = new Map<string, Doubt>();
  readonly #subscription: ReturnType<InformerHandle<StateSecret>['addHandler']>;

  constructor(options: StateStoreOptions) {
    this.#options = options;
    this.informer = options.informers.acquire<StateSecret>({
      resource: secrets,
      namespace: options.namespace,
      labelSelector: `${labels.objectState}=true`,
    });
    this.informer.addIndex(BY_OBJECT, ({ metadata }) => [indexOf(metadata.labels ?? {})]);
    this.informer.addIndex(BY_CLUSTER, ({ metadata }) => [metadata.labels?.[labels.remoteCluster] ?? '']);
    this.#subscription = this.informer.addHandler({
      onDelete: ({ metadata: { name, uid = '' } }) => {
        this.#removed.delete(uid);
        this.#doubted.delete(name);
      },
      onRestored: () => {
        options.onRestored();
      },
    });
  }

  synced(signal?: AbortSignal): Promise<void> {
    return this.informer.synced(signal);
  }

  has(subject: StateSubject): boolean {
    return this.#cached(this.#nameOf(subject)) !== undefined;
  }

  open(subject: StateSubject): StateDraft {
    const name = this.#nameOf(subject);
    const own = this.#cached(name);
    const [former] = own === undefined ? this.#formersOf(subject) : [];
    const found = own ?? former;
    const doubt = found === undefined ? undefined : this.#doubted.get(found.metadata.name);
    return createStateDraft(subject, name, found?.data, former !== undefined, doubt);
  }

  async flush(draft: StateDraft, signal: AbortSignal, origin?: WorkspaceOrigin): Promise<void> {
    const data = draft.changed();
    if (data === undefined) return;
    const secretOf = (before: StateSecret | undefined): StateSecret => this.#secret(draft, before, data, origin);
    if (await this.#update(draft, secretOf, signal)) {
      draft.written();
      return;
    }
    await this.#create(draft, secretOf, signal);
    draft.written();
    // Without the right to delete they stay, like a deleted object's own Secret; they are never read.
    await this.#removeFormers(draft.subject, signal);
  }

  async remove(subject: StateSubject, signal: AbortSignal): Promise<'gone' | 'left'> {
    const known = this.#cached(this.#nameOf(subject));
    const outcomes = [
      await this.#removeFormers(subject, signal),
      known === undefined ? ('gone' as const) : await this.#remove(known, signal),
    ];
    return outcomes.includes('left') ? 'left' : 'gone';
  }

  doubt(doubt: Exclude<Doubt, 'nothing'>): void {
    for (const {
      metadata: { name },
    } of this.informer.list())
      if (this.#doubted.get(name) !== 'everything') this.#doubted.set(name, doubt);
  }

  believe(subject: StateSubject): void {
    if (this.#doubted.size > 0) this.#doubted.delete(this.#nameOf(subject));
  }

  clusters(): ReadonlySet<string> {
    return new Set(this.informer.list().flatMap(({ metadata }) => metadata.labels?.[labels.remoteCluster] ?? []));
  }

  of(cluster: string, published: Pick<StateSubject, 'apiVersion' | 'kind'>): readonly RememberedObject[] {
    return this.informer.byIndex(BY_CLUSTER, cluster).flatMap((secret) => {
      const { annotations: marks = {}, uid = '' } = secret.metadata;
      const subject =
        marks[STATE_OF] === this.#options.agentName && !this.#removed.has(uid)
          ? subjectOf(secret, cluster, published)
          : undefined;
      if (subject === undefined) return [];
      const [path = '', endpoint = ''] = (marks[STATE_WORKSPACE] ?? '').split(' ');
      const draft = createStateDraft(subject, secret.metadata.name, secret.data);
      const { records } = draft;
      return [
        {
          secret,
          origin: path === '' || endpoint === '' ? undefined : { path, endpoint },
          records,
          hasUnrecorded: records.length === 0 && draft.remembersMoreThan({ ...subject, identifier: undefined }),
        },
      ];
    });
  }

  drop({ secret }: RememberedObject, signal: AbortSignal): Promise<'gone' | 'left'> {
    return this.#remove(secret, signal, secret.metadata.resourceVersion);
  }

  close(): void {
    this.#subscription.close();
    this.informer.release();
    this.#removed.clear();
  }

  #cached(name: string): StateSecret | undefined {
    const shown = this.informer.get({ namespace: this.#options.namespace, name });
    return this.#removed.has(shown?.metadata.uid ?? '') ? undefined : shown;
  }

  /**
   * Logical clusters of two kcp installations can have the same name: the second agent in a namespace uses another
   * Secret.
   */
  #nameOf(subject: StateSubject): string {
    const { agentName } = this.#options;
    const name = stateSecretName(subject);
    const owner = this.#cached(name)?.metadata.annotations?.[STATE_OF];
    return owner === undefined || owner === agentName ? name : `${name}-${sha1Hex(agentName).slice(0, 8)}`;
  }

  /** Earlier Secrets of the same object: the version of its API is part of the name. */
  #formersOf(subject: StateSubject): readonly StateSecret[] {
    const name = this.#nameOf(subject);
    return this.informer.byIndex(BY_OBJECT, indexOf(stateSecretLabels(subject))).filter(({ metadata, data }) => {
      const owner = metadata.annotations?.[STATE_OF];
      return (
        metadata.name !== name &&
        (owner === undefined || owner === this.#options.agentName) &&
        !this.#removed.has(metadata.uid ?? '') &&
        isAbout(data, { ...subject, identifier: undefined })
      );
    });
  }

  #secret(
    draft: StateDraft,
    before: StateSecret | undefined,
    data: NonNullable<StateSecret['data']>,
    origin: WorkspaceOrigin | undefined,
  ): StateSecret {
    const { namespace, agentName } = this.#options;
    return {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        ...(before === undefined ? { name: draft.secretName, namespace } : before.metadata),
        annotations: {
          ...(before === undefined ? { [STATE_OF]: agentName } : before.metadata.annotations),
          ...(origin === undefined ? {} : { [STATE_WORKSPACE]: `${origin.path} ${origin.endpoint}` }),
        },
        labels: stateSecretLabels(draft.subject),
      },
      type: before?.type ?? 'Opaque',
      data,
    };
  }

  /** False: there is none. */
  async #update(
    { secretName: name }: StateDraft,
    secretOf: (before: StateSecret) => StateSecret,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { client, namespace } = this.#options;
    const known = this.#cached(name);
    if (known === undefined) return false;
    try {
      const sent = secretOf(known);
      this.informer.observe(
        taken(sent, await client.update<StateSecret>(secrets, sent, { representation: 'metadata', signal })),
      );
      return true;
    } catch (error) {
      if (!isObjectNotFound(error, secrets, { namespace, name })) throw error;
      // The watch has not delivered its deletion yet.
      if (known.metadata.uid !== undefined) this.#removed.add(known.metadata.uid);
      return false;
    }
  }

  async #create(
    { secretName: name }: StateDraft,
    secretOf: (before: StateSecret | undefined) => StateSecret,
    signal: AbortSignal,
  ): Promise<void> {
    const { client, namespace } = this.#options;
    const sent = secretOf(undefined);
    try {
      this.informer.observe(
        taken(sent, await client.create<StateSecret>(secrets, sent, { representation: 'metadata', signal })),
      );
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      // Created just now, or before the watch showed it: its content counts where we changed nothing.
      const live = await client.get<StateSecret>(secrets, { namespace, name }, { signal });
      const rebased = { ...secretOf(live), data: { ...live.data, ...sent.data } };
      this.informer.observe(await client.update<StateSecret>(secrets, rebased, { signal }));
    }
  }

  async #remove(
    { metadata: { name, uid } }: StateSecret,
    signal: AbortSignal,
    resourceVersion?: string,
  ): Promise<'gone' | 'left'> {
    const { client, namespace } = this.#options;
    try {
      await client.delete(secrets, { namespace, name }, { preconditions: { uid, resourceVersion }, signal });
    } catch (error) {
      if (isForbidden(error)) return 'left';
      if (!isObjectNotFound(error, secrets, { namespace, name })) throw error;
    }
    const shown = this.informer.get({ namespace, name })?.metadata.uid;
    if (shown !== undefined && shown === uid) this.#removed.add(shown);
    return 'gone';
  }

  async #removeFormers(subject: StateSubject, signal: AbortSignal): Promise<'gone' | 'left'> {
    let outcome: 'gone' | 'left' = 'gone';
    for (const former of this.#formersOf(subject))
      if ((await this.#remove(former, signal)) === 'left') outcome = 'left';
    return outcome;
  }
}

/**
 * The subject of a Secret, if its name, labels and content all name a published object of this kind, in any version.
 */
function subjectOf(
  { metadata: { name: secretName, labels: has = {} }, data = {} }: StateSecret,
  cluster: string,
  { apiVersion, kind }: Pick<StateSubject, 'apiVersion' | 'kind'>,
): StateSubject | undefined {
  for (const [key, value] of Object.entries(data)) {
    const snapshot = decodeSnapshot(Buffer.from(value, 'base64').toString('utf8'));
    if (snapshot === undefined) continue;
    const { name, namespace } = snapshot.metadata;
    const subject: StateSubject = {
      cluster,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      apiVersion,
      kind,
    };
    const isNamed =
      secretName.startsWith(stateSecretName({ ...subject, apiVersion: snapshot.apiVersion })) &&
      indexOf(has) === indexOf(stateSecretLabels(subject));
    if (isNamed && key === stateKey(subject) && isAbout(data, { ...subject, identifier: undefined })) return subject;
  }
  return undefined;
}

function indexOf(of: Readonly<Record<string, string>>): string {
  return [labels.remoteCluster, labels.remoteNamespaceHash, labels.remoteNameHash]
    .map((label) => of[label] ?? '')
    .join('|');
}

/** A Secret after a write: its data are those sent, so only the rest is requested. */
function taken(sent: StateSecret, { metadata }: Pick<StateSecret, 'metadata'>): StateSecret {
  return { ...sent, metadata };
}
