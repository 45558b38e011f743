import {
  type Client,
  type KubeObject,
  type Resource,
  type UnstructuredObject,
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
import { type StateDraft, createStateDraft, isAbout } from './state-draft.js';
import type { WorkspaceOrigin } from './vanished.js';

export const secrets: Resource = { group: '', version: 'v1', resource: 'secrets' };

/** The Secret that remembers one published object and its related ones. */
export interface StateSecret extends KubeObject {
  readonly type?: string | undefined;
  readonly data?: Readonly<Record<string, string>> | undefined;
}

/**
 * What was pushed last, in one Secret for each published object (`spec/api-syncagent.md §11.2`). Only Secrets with the label of state Secrets in the agent's
 * namespace are watched.
 */
export interface StateStore {
  /** Resolves when the Secrets are known. */
  synced(signal?: AbortSignal): Promise<void>;
  readonly informer: Pick<Informer<StateSecret>, 'state' | 'onStateChange' | 'hasSynced'>;
  /** Whether anything is remembered of an object. */
  has(subject: StateSubject): boolean;
  /** What is remembered of one object, to be changed and written back. */
  open(subject: StateSubject): StateDraft;
  /** Writes what the draft has changed, in one request at most. `origin`: where the object is, if that is known; written along with the rest. */
  flush(draft: StateDraft, signal: AbortSignal, origin?: WorkspaceOrigin): Promise<void>;
  /** Deletes what is remembered. `left`: the right to delete is missing, and the Secret stays. */
  remove(subject: StateSubject, signal: AbortSignal): Promise<'gone' | 'left'>;
  /** Logical clusters of which anything is remembered. */
  clusters(): ReadonlySet<string>;
  /** Objects of a kind in a logical cluster of which this very agent, and no other, remembers something readable. */
  of(cluster: string, published: Pick<StateSubject, 'apiVersion' | 'kind'>): readonly RememberedObject[];
  /** Deletes the Secret of such an object, in exactly the version in which it was found. `left`: the right to delete is missing. */
  drop(object: RememberedObject, signal: AbortSignal): Promise<'gone' | 'left'>;
  close(): void;
}

/** What is remembered of one object, whether or not it exists any more. */
export interface RememberedObject {
  readonly secret: StateSecret;
  /** Where the object was. Undefined: not written down, as by a Go agent. */
  readonly origin: WorkspaceOrigin | undefined;
  readonly records: readonly PairRecord[];
  /** Something was synced beside the object, and where to is not written down. */
  readonly hasUnrecorded: boolean;
}

export interface StateStoreOptions {
  readonly client: Client;
  readonly informers: SharedInformers;
  readonly namespace: string;
  readonly agentName: string;
}

export function createStateStore({ client, informers, namespace, agentName }: StateStoreOptions): StateStore {
  const informer: InformerHandle<StateSecret> = informers.acquire<StateSecret>({
    resource: secrets,
    namespace,
    labelSelector: `${labels.objectState}=true`,
  });
  informer.addIndex(BY_OBJECT, ({ metadata }) => [indexOf(metadata.labels ?? {})]);
  informer.addIndex(BY_CLUSTER, ({ metadata }) => [metadata.labels?.[labels.remoteCluster] ?? '']);
  /** Secrets that we have made, and that the watch has not shown yet: with a selector, the cache takes in only what it knows. */
  const fresh = new Map<string, StateSecret>();
  /** Uids of those that we have deleted, and that the watch still shows: a second look at an object that goes deletes nothing again. */
  const removed = new Set<string>();
  const subscription = informer.addHandler({
    onAdd({ metadata: { name, uid } }) {
      const own = fresh.get(name);
      fresh.delete(name);
      if (own !== undefined && own.metadata.uid === uid) informer.observe(own);
    },
    onDelete({ metadata: { name, uid = '' } }) {
      if (fresh.get(name)?.metadata.uid === uid) fresh.delete(name);
      removed.delete(uid);
    },
  });
  const cached = (name: string): StateSecret | undefined => {
    const shown = informer.get({ namespace, name });
    return shown === undefined || removed.has(shown.metadata.uid ?? '') ? fresh.get(name) : shown;
  };
  const observe = (secret: StateSecret): void => {
    const shown = informer.get({ namespace, name: secret.metadata.name });
    if (shown === undefined || shown.metadata.uid !== secret.metadata.uid) fresh.set(secret.metadata.name, secret);
    else informer.observe(secret);
  };
  /** Logical clusters of two installations of kcp can have the same name: the second agent in a namespace uses another Secret. */
  const nameOf = (subject: StateSubject): string => {
    const name = stateSecretName(subject);
    const owner = cached(name)?.metadata.annotations?.[STATE_OF];
    return owner === undefined || owner === agentName ? name : `${name}-${sha1Hex(agentName).slice(0, 8)}`;
  };

  /** The version of its API is part of the name: what was remembered of the same object when it had another one. */
  const formersOf = (subject: StateSubject): readonly StateSecret[] => {
    const name = nameOf(subject);
    return informer.byIndex(BY_OBJECT, indexOf(stateSecretLabels(subject))).filter(({ metadata, data }) => {
      const owner = metadata.annotations?.[STATE_OF];
      return (
        metadata.name !== name &&
        (owner === undefined || owner === agentName) &&
        !removed.has(metadata.uid ?? '') &&
        isAbout(data, { ...subject, identifier: undefined })
      );
    });
  };
  const removeSecret = async (
    { metadata: { name, uid } }: StateSecret,
    signal: AbortSignal,
    resourceVersion?: string,
  ): Promise<'gone' | 'left'> => {
    try {
      await client.delete(secrets, { namespace, name }, { preconditions: { uid, resourceVersion }, signal });
    } catch (error) {
      if (isForbidden(error)) return 'left';
      if (!isObjectNotFound(error, secrets, { namespace, name })) throw error;
    }
    fresh.delete(name);
    const shown = informer.get({ namespace, name })?.metadata.uid;
    if (shown !== undefined && shown === uid) removed.add(shown);
    return 'gone';
  };
  const removeFormers = async (subject: StateSubject, signal: AbortSignal): Promise<'gone' | 'left'> => {
    let outcome: 'gone' | 'left' = 'gone';
    for (const former of formersOf(subject)) if ((await removeSecret(former, signal)) === 'left') outcome = 'left';
    return outcome;
  };

  return {
    synced: (signal) => informer.synced(signal),
    informer,
    has: (subject) => cached(nameOf(subject)) !== undefined,
    open(subject) {
      const name = nameOf(subject);
      const own = cached(name);
      const [former] = own === undefined ? formersOf(subject) : [];
      return createStateDraft(subject, name, (own ?? former)?.data, former !== undefined);
    },
    async flush(draft, signal, origin) {
      const data = draft.changed();
      if (data === undefined) return;
      const known = cached(draft.secretName);
      const secret = (before: StateSecret | undefined): StateSecret => ({
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
      });
      if (known !== undefined) {
        try {
          const sent = secret(known);
          observe(taken(sent, await client.update<StateSecret>(secrets, sent, { representation: 'metadata', signal })));
          draft.written();
          return;
        } catch (error) {
          if (!isObjectNotFound(error, secrets, { namespace, name: draft.secretName })) throw error;
          fresh.delete(draft.secretName);
        }
      }
      try {
        const sent = secret(undefined);
        observe(taken(sent, await client.create<StateSecret>(secrets, sent, { representation: 'metadata', signal })));
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
        // Somebody has made it just now, or it was made before the watch began to show it: what it says counts for what we have not changed.
        const live = await client.get<StateSecret>(secrets, { namespace, name: draft.secretName }, { signal });
        const rebased = { ...live.data, ...data };
        observe(
          await client.update<StateSecret>(
            secrets,
            { ...secret(live), data: rebased } as StateSecret & UnstructuredObject,
            { signal },
          ),
        );
      }
      draft.written();
      // Without the right to delete they stay, as that of the object does when it goes; nobody reads them.
      await removeFormers(draft.subject, signal);
    },
    async remove(subject, signal) {
      const known = cached(nameOf(subject));
      const outcomes = [
        await removeFormers(subject, signal),
        known === undefined ? ('gone' as const) : await removeSecret(known, signal),
      ];
      return outcomes.includes('left') ? 'left' : 'gone';
    },
    clusters: () => new Set(informer.list().flatMap(({ metadata }) => metadata.labels?.[labels.remoteCluster] ?? [])),
    of: (cluster, published) =>
      informer.byIndex(BY_CLUSTER, cluster).flatMap((secret) => {
        const { annotations: says = {}, uid = '' } = secret.metadata;
        const subject =
          says[STATE_OF] === agentName && !removed.has(uid) ? subjectOf(secret, cluster, published) : undefined;
        if (subject === undefined) return [];
        const [path = '', endpoint = ''] = (says[STATE_WORKSPACE] ?? '').split(' ');
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
      }),
    drop: ({ secret }, signal) => removeSecret(secret, signal, secret.metadata.resourceVersion),
    close() {
      subscription.close();
      informer.release();
      fresh.clear();
      removed.clear();
    },
  };
}

const BY_OBJECT = 'object';
const BY_CLUSTER = 'cluster';

/** Whose Secret this is, if it is about a published object of this kind, in whatever version: its name, its labels and its content say the same. */
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

/** A Secret as it stands after a write: its data are what was sent, so that only the rest is asked for. */
function taken(sent: StateSecret, { metadata }: Pick<StateSecret, 'metadata'>): StateSecret {
  return { ...sent, metadata };
}
