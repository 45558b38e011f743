import { type ApiError, type Client, isApiError, isNotFound } from '@hawser/client';
import { type GroupResource, groupResourceString } from '@hawser/kube-bind';
import { refusalProblem, refusedRequest } from '@hawser/konnector-sync';

import { type Claimability, type Claimable, type ClaimProblem, notSupported } from './claim.js';
import type { Side } from './marks.js';

/** A version in which an API server serves a resource. */
export interface ServedVersion {
  readonly version: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

/** Answers of both sides about a claimed resource: versions, the server's preferred first, or the error. */
export type Served = Readonly<Record<Side, readonly ServedVersion[] | ApiError>>;

/** Discovery for claims on any resource. */
export interface ClaimDiscovery {
  /**
   * Asks both API servers about unknown resources of this list, and forgets all others. Rejects only if `signal`
   * aborts; a missing answer counts as a refusal for now.
   */
  learn(resources: readonly GroupResource[], signal: AbortSignal): Promise<void>;
  /** From the last answers; a resource outside the list is refused. */
  readonly claimable: Claimable;
  /** Whether a refused resource may still appear. */
  readonly waits: boolean;
}

/** Verbs needed for claimed objects. */
const VERBS = ['get', 'list', 'watch', 'create', 'patch', 'delete'];
/** Write access to these would control the cluster, or this konnector. */
const NOT_FOR_CLAIMS: readonly RegExp[] = [
  /^rbac\.authorization\.k8s\.io$/u,
  /^(?:.+\.)?kube-bind\.io$/u,
  /^(?:.+\.)?klutch\.anynines\.com$/u,
  /^coordination\.k8s\.io$/u,
];

/** `retryAfterMs`: time before a refusal is retried. */
export function createClaimDiscovery(
  clients: Readonly<Record<Side, Client>>,
  now: () => number,
  retryAfterMs = 30_000,
): ClaimDiscovery {
  const known = new Map<string, { readonly at: number; readonly answer: Claimability }>();
  return {
    async learn(resources, signal) {
      const asked = new Set(resources.map(groupResourceString));
      for (const name of [...known.keys()]) if (!asked.has(name)) known.delete(name);
      for (const resource of resources) {
        const name = groupResourceString(resource);
        const before = known.get(name);
        if (before !== undefined && (before.answer.kind === 'claimable' || before.at + retryAfterMs > now())) continue;
        const [consumer, provider] = await Promise.all([
          readServed(clients.consumer, resource, signal),
          readServed(clients.provider, resource, signal),
        ]);
        known.set(name, { at: now(), answer: judge(resource, { consumer, provider }) });
      }
    },
    claimable: (resource) =>
      known.get(groupResourceString(resource))?.answer ?? { kind: 'refused', problem: missing(resource, 'consumer') },
    get waits() {
      return [...known.values()].some(
        ({ answer }) => answer.kind === 'refused' && answer.problem.reason !== 'ClaimNotSupported',
      );
    },
  };
}

/** Decides whether a resource can be claimed, from the answers of both sides. Pure. */
export function judge(resource: GroupResource, served: Served): Claimability {
  const { group = '' } = resource;
  const refused = (problem: ClaimProblem): Claimability => ({ kind: 'refused', problem });
  if (NOT_FOR_CLAIMS.some((pattern) => pattern.test(group)))
    return refused(
      notSupported(resource, `group ${group} is not for claims, since who writes there has the say in the cluster`),
    );
  for (const side of ['consumer', 'provider'] as const) {
    const versions = served[side];
    if (isApiError(versions)) return refused(unanswered(resource, side, versions));
    if (versions.length === 0) return refused(missing(resource, side));
    if (versions.some(({ namespaced }) => !namespaced))
      return refused(
        notSupported(
          resource,
          `on the ${side} it is not namespaced, and nothing would tell apart whose a cluster-scoped object is`,
        ),
      );
  }
  const [here, there] = [versionsOf(served.consumer), versionsOf(served.provider)];
  const both = here.find(({ version }) => there.some((other) => other.version === version));
  if (both === undefined) {
    const list = (versions: readonly ServedVersion[]): string => versions.map(({ version }) => version).join(', ');
    return refused({
      reason: 'ClaimedResourceMissing',
      message: `The claim on ${groupResourceString(resource)} is not served: the consumer has it in ${list(here)}, the provider in ${list(there)}, and not both in one version. One of the two has to serve a version of the other.`,
      actor: 'operator',
    });
  }
  const verbs = VERBS.filter((verb) => !both.verbs.includes(verb));
  if (verbs.length > 0)
    return refused(notSupported(resource, `it cannot be kept in step, as its API has no ${verbs.join(', ')}`));
  return { kind: 'claimable', resource: { group, version: both.version, resource: resource.resource } };
}

function versionsOf(served: Served[Side]): readonly ServedVersion[] {
  return isApiError(served) ? [] : served;
}

function missing(resource: GroupResource, side: Side): ClaimProblem {
  return {
    reason: 'ClaimedResourceMissing',
    message: `The claim on ${groupResourceString(resource)} is not served: the ${side}'s API server does not have that resource. It goes on by itself once it is installed there.`,
    actor: side === 'consumer' ? 'operator' : 'provider',
  };
}

function unanswered(resource: GroupResource, side: Side, error: ApiError): ClaimProblem {
  const consequence = `Whether ${groupResourceString(resource)} can be claimed is not known until then.`;
  if (isApiError(error, 'Forbidden', 'Unauthorized'))
    return refusalProblem(error, side, { consequence, chart: 'claimedResources' });
  return {
    reason: side === 'provider' ? 'FailedOnProvider' : 'FailedOnConsumer',
    message: `${refusedRequest(error, side)} ${consequence}`,
    actor: side === 'provider' ? 'provider' : 'operator',
  };
}

interface APIResourceList {
  readonly resources?: readonly {
    readonly name: string;
    readonly namespaced: boolean;
    readonly verbs?: readonly string[];
  }[];
}

interface APIGroup {
  readonly preferredVersion?: { readonly version: string };
  readonly versions?: readonly { readonly version: string }[];
}

/** Asks an API server for the versions of a resource. A resource missing in discovery is not served. */
async function readServed(
  client: Client,
  { group = '', resource }: GroupResource,
  signal: AbortSignal,
): Promise<Served[Side]> {
  const read = async <T>(path: string): Promise<T | undefined> => {
    try {
      return (await client.raw('GET', path, undefined, { signal })) as T;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  try {
    const found: APIGroup | undefined =
      group === '' ? { versions: [{ version: 'v1' }] } : await read<APIGroup>(`/apis/${group}`);
    const preferred = found?.preferredVersion === undefined ? [] : [found.preferredVersion.version];
    const names = [...new Set([...preferred, ...(found?.versions ?? []).map(({ version }) => version)])];
    const served: ServedVersion[] = [];
    for (const version of names) {
      const list = await read<APIResourceList>(group === '' ? `/api/${version}` : `/apis/${group}/${version}`);
      const one = list?.resources?.find(({ name }) => name === resource);
      if (one !== undefined) served.push({ version, namespaced: one.namespaced, verbs: one.verbs ?? [] });
    }
    return served;
  } catch (error) {
    if (isApiError(error) && error.code !== 'Aborted') return error;
    throw error;
  }
}

/** The resources of these claims, without duplicates. */
export function askedResources(claims: readonly GroupResource[]): readonly GroupResource[] {
  return [
    ...new Map(
      claims.map(({ group = '', resource }) => [groupResourceString({ group, resource }), { group, resource }]),
    ).values(),
  ];
}
