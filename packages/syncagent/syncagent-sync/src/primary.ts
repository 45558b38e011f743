import { apiVersionOf, type Client, type UnstructuredObject, messageOf, sentence } from '@hawser/client';
import type { ClusterKey } from '@hawser/informer';
import {
  type StateSubject,
  identityAnnotations,
  identityLabels,
  identityOf,
  identitySelector,
} from '@hawser/syncagent-api';

import type { PairPorts } from './act.js';
import { isMarked, mayBeCopy } from './choose-copy.js';
import type { Copies } from './copies.js';
import type { AdoptionPolicy, Marks, PairSettings, Placement } from './observed.js';
import type { Pause } from './pause.js';
import type { PublishedKinds } from './published.js';
import type { Rules } from './rules.js';
import type { ServiceNamespaces } from './service-namespaces.js';
import type { SnapshotOwner, StateDraft } from './state-draft.js';
import { isWrittenByAgent } from './written-by.js';

/** Constants of all primary objects. */
export interface PrimaryOptions {
  readonly kinds: PublishedKinds;
  readonly rules: Rules;
  readonly agentName: string;
  readonly adoption: AdoptionPolicy;
  readonly pause: Pause | undefined;
  readonly service: Client;
  readonly copies: Copies;
  readonly namespaces: ServiceNamespaces;
  /** Name of the PublishedResource. */
  readonly publishedResource: string;
  /** See {@link PairSettings.holder}. */
  readonly holder: string;
  readonly isOfOtherPublication: (copy: UnstructuredObject) => boolean;
}

/** The published object in kcp, as its state Secret names it. */
export function subjectOf({ kinds: { kcp } }: PrimaryOptions, identity: ClusterKey): StateSubject {
  return { ...identity, apiVersion: apiVersionOf(kcp.resource), kind: kcp.kind };
}

export function ownerOfPrimary(options: PrimaryOptions, identity: ClusterKey): SnapshotOwner {
  return { ...subjectOf(options, identity), identifier: undefined };
}

export function primarySettings(
  { kinds: { kcp, service }, rules, agentName, adoption, pause, publishedResource, holder }: PrimaryOptions,
  identity: ClusterKey,
  path: string | undefined,
): PairSettings {
  const marks: Marks = {
    labels: identityLabels(identity),
    annotations: identityAnnotations(identity, path),
    agentName,
    publishedBy: publishedResource,
  };
  const declared = service.subresources;
  return {
    origin: 'kcp',
    destination: { apiVersion: apiVersionOf(service.resource), kind: service.kind },
    marks,
    holder,
    subresources: declared,
    // Without the subresource on both sides, a status is ordinary content and flows one way.
    status: declared.includes('status') && kcp.subresources.includes('status') ? 'back' : 'none',
    finalizer: true,
    forcedDeletion: false,
    mutations: rules.mutations,
    adoption,
    pause,
  };
}

export function primaryPorts(
  options: PrimaryOptions,
  identity: ClusterKey,
  kcp: { readonly client: Client; readonly observe: (object: UnstructuredObject) => void },
  draft: StateDraft,
  removeState: (signal: AbortSignal) => Promise<void>,
): PairPorts {
  const { kinds, service, copies } = options;
  return {
    source: { client: kcp.client, resource: kinds.kcp.resource, observe: kcp.observe },
    sourceKey: { namespace: identity.namespace, name: identity.name },
    holder: options.holder,
    destination: {
      client: service,
      resource: kinds.service.resource,
      observe: (copy) => {
        copies.observe(copy);
      },
    },
    async search(_key, signal) {
      const { items } = await service.list(kinds.service.resource, {
        labelSelector: identitySelector(identity),
        signal,
      });
      // An object with the marks in another place is a copy only if an agent wrote it.
      return items.find(
        (copy) =>
          !options.isOfOtherPublication(copy) &&
          mayBeCopy(copy) &&
          (isMarked(copy) || isWrittenByAgent(copy, undefined)),
      );
    },
    isCopy(object) {
      const found = identityOf(object);
      return (
        found !== undefined &&
        !options.isOfOtherPublication(object) &&
        mayBeCopy(object) &&
        found.cluster === identity.cluster &&
        found.namespace === identity.namespace &&
        found.name === identity.name
      );
    },
    makeNamespace: (namespace, signal) => options.namespaces.make(namespace, signal),
    within: (namespace, work) => options.namespaces.within(namespace, work),
    store: (snapshot) => {
      draft.store(ownerOfPrimary(options, identity), snapshot);
    },
    forget: removeState,
  };
}

/** The place of this object's copy. */
export function placementOf(
  { kinds, rules }: PrimaryOptions,
  object: UnstructuredObject,
  cluster: string,
  path: string | undefined,
): Placement {
  try {
    const { name, namespace } = rules.naming(object, cluster, path);
    if (kinds.service.scope === 'Cluster') return { kind: 'placed', key: { name } };
    if (namespace === undefined || namespace === '')
      return {
        kind: 'impossible',
        message: 'The naming rules of the PublishedResource yield no namespace for the copy of this object.',
      };
    return { kind: 'placed', key: { namespace, name } };
  } catch (error) {
    return {
      kind: 'impossible',
      message: `The naming rules of the PublishedResource yield no legal name for the copy of this object: ${sentence(messageOf(error))}`,
    };
  }
}
