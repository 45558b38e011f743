import { type Client, type KubeObject, type Resource, getIfExists, isApiError } from '@hawser/client';
import type { Problem } from '@hawser/controller';
import type { SharedInformers } from '@hawser/informer';
import type { Finding } from '@hawser/preview';
import { publicationConditions } from '@hawser/publication';
import { findReason } from '@hawser/reasons';
import { type Condition, type PublishedResource, getCondition, leaseName } from '@hawser/syncagent-api';

/** A problem that the sync reported, with its remedy. */
export function findingOf({ reason, message, actor }: Problem): Finding {
  return { reason, message, actor, remedy: findReason('PublishedObject', reason)?.remedy };
}

/** Conditions that report trouble; findings of single objects cover the others. */
const JUDGED = [
  publicationConditions.valid,
  publicationConditions.schemaPublished,
  publicationConditions.exported,
] as const;

/**
 * Trouble that a status reports. `before`: the status in the cluster, with its times. `running`: objects are examined
 * one by one, so their sum is left out.
 */
export function conditionFindings(
  { status }: PublishedResource,
  before: PublishedResource | undefined,
  running: boolean,
): readonly Finding[] {
  const types = [...JUDGED, ...(running ? [] : [publicationConditions.objectsInSync])];
  const wrong = types
    .flatMap((type) => getCondition(status?.conditions, type) ?? [])
    .filter((condition) => condition.status === 'False');
  const holding = [publicationConditions.schemaUpdateHeld, publicationConditions.paused]
    .flatMap((type) => getCondition(status?.conditions, type) ?? [])
    .filter((condition) => condition.status === 'True');
  return [...wrong, ...holding].map((condition) => {
    const known =
      findReason('PublishedResource', condition.reason, condition.type) ??
      findReason('PublishedObject', condition.reason);
    return {
      reason: condition.reason,
      message: condition.message,
      actor: known?.actor ?? 'operator',
      remedy: known?.remedy,
      since: sinceOf(condition, before),
    };
  });
}

function sinceOf(condition: Condition, before: PublishedResource | undefined): string | undefined {
  const was = getCondition(before?.status?.conditions, condition.type);
  return was?.status === condition.status && was.reason === condition.reason ? was.lastTransitionTime : undefined;
}

/** Resources that an agent must read to work at all; the syncs report what they read for objects. */
const NEEDED: ReadonlySet<string> = new Set([
  'publishedresources',
  'customresourcedefinitions',
  'apiresourceschemas',
  'apiexports',
  'apiexportendpointslices',
  'apibindings',
  'logicalclusters',
]);

/** All that is unreadable now, each once. */
export function unreadable(informers: readonly SharedInformers[]): readonly Finding[] {
  const messages = informers
    .flatMap(({ active }) => active)
    .flatMap(({ spec, state }) =>
      state.phase === 'waiting' && NEEDED.has(spec.resource.resource) ? [state.error.message] : [],
    );
  return [...new Set(messages)].map((message) => ({
    reason: 'NotReadable',
    message,
    actor: 'operator',
    remedy: findReason('Explained', 'NotReadable')?.remedy,
  }));
}

interface Lease extends KubeObject {
  readonly spec?: {
    readonly renewTime?: string | null;
    readonly leaseDurationSeconds?: number;
    readonly holderIdentity?: string | null;
  };
}

const leases: Resource = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
/** Clocks differ. */
const SLACK_MS = 5_000;

/** Whether perhaps no process does the due work. Known only if the agent uses a readable Lease. */
export async function silence(
  service: Client,
  agent: { readonly name: string; readonly namespace: string },
  nowMs: number,
  signal: AbortSignal,
): Promise<Finding | undefined> {
  const key = { namespace: agent.namespace, name: leaseName(agent.name) };
  let lease: Lease | undefined;
  try {
    lease = await getIfExists<Lease>(service, leases, key, { signal });
  } catch (error) {
    if (isApiError(error) && error.code !== 'Aborted') return undefined;
    throw error;
  }
  const { renewTime, leaseDurationSeconds = 15, holderIdentity } = lease?.spec ?? {};
  if (
    lease === undefined ||
    (holderIdentity !== '' && Date.parse(renewTime ?? '') + leaseDurationSeconds * 1_000 + SLACK_MS > nowMs)
  )
    return undefined;
  const last = typeof renewTime === 'string' ? `, and was renewed last at ${renewTime}` : '';
  return {
    reason: 'AgentSilent',
    message: `No agent holds the Lease ${key.namespace}/${key.name}${last}, so perhaps no agent is running.`,
    actor: 'operator',
    remedy: findReason('Explained', 'AgentSilent')?.remedy,
  };
}
