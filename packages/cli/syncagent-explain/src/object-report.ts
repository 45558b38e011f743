import { type KubeObject, type Resource, objectKey } from '@hawser/client';
import { parseClusterKey } from '@hawser/informer';
import { type Finding, type Standing, list } from '@hawser/preview';
import { findReason } from '@hawser/reasons';
import type { Engagement, Sync, Verdict } from '@hawser/syncagent-sync';

import { findingOf } from './findings.js';
import type { Workspace } from './request-target.js';
import type { RehearsedWrite } from './rehearsal.js';
import type { ObjectReport } from './report.js';

export interface ObjectContext {
  readonly publishedResource: string;
  /** Kind in kcp. */
  readonly kind: string;
  readonly sync: Pick<Sync, 'why' | 'copyOf'>;
  readonly workspaceOf: (cluster: string) => Workspace;
}

/** How an object stands before the due writes; undefined if neither side has it and no write is due. */
export function reportObject(
  key: string,
  writes: readonly RehearsedWrite[],
  { publishedResource, kind, sync, workspaceOf }: ObjectContext,
): ObjectReport | undefined {
  const { verdict, problem } = sync.why(key);
  if (verdict.kind === 'absent' && writes.length === 0 && problem === undefined) return undefined;
  const { cluster, ...objectKeyParts } = parseClusterKey(key);
  const copy = sync.copyOf(key);
  const judged =
    problem !== undefined && problem.actor !== 'nobody'
      ? { standing: 'held' as const, finding: findingOf(problem) }
      : judge(verdict, writes.length);
  return {
    publishedResource,
    kind,
    workspace: workspaceOf(cluster),
    object: objectKey(objectKeyParts),
    copy: copy === undefined ? undefined : objectKey(copy),
    writes,
    ...judged,
  };
}

interface Judgement {
  readonly standing: Standing;
  readonly finding?: Finding | undefined;
}

function judge(verdict: Verdict, writes: number): Judgement {
  switch (verdict.kind) {
    case 'held':
      return { standing: 'held', finding: findingOf(verdict) };
    case 'orphan':
      return {
        standing: 'held',
        finding: findingOf({ reason: 'Orphaned', message: verdict.message, actor: 'provider' }),
      };
    case 'notSelected':
      return writes > 0
        ? due(writes)
        : {
            standing: 'inStep',
            finding: {
              reason: 'NotSelected',
              message: 'The filter of the PublishedResource leaves it out.',
              actor: 'nobody',
            },
          };
    case 'absent':
    case 'inStep':
      return writes > 0 ? due(writes) : { standing: 'inStep' };
    case 'progressing':
      return writes > 0 ? due(writes) : waiting(verdict.waitingFor);
  }
}

function due(writes: number): Judgement {
  return {
    standing: 'underWay',
    finding: {
      reason: 'UnderWay',
      message: `${writes} ${writes === 1 ? 'write is' : 'writes are'} due, which the agent does by itself.`,
      actor: 'nobody',
    },
  };
}

function waiting(waitingFor: Extract<Verdict, { kind: 'progressing' }>['waitingFor']): Judgement {
  switch (waitingFor) {
    case 'copyToGo':
      return {
        standing: 'underWay',
        finding: {
          reason: 'CopyTerminating',
          message:
            'The copy, or a related object, is being deleted and waits for its finalizers. What follows comes by itself.',
          actor: 'provider',
          remedy: findReason('Explained', 'CopyTerminating')?.remedy,
        },
      };
    case 'workspacePath':
      return {
        standing: 'held',
        finding: {
          reason: 'NotKnown',
          message:
            'The path of the workspace is not visible, and the PublishedResource wants it on the copy. Accept the permission claim on logicalclusters in the APIBinding.',
          actor: 'consumer',
        },
      };
    case 'cache':
    case 'proof':
    case 'write':
      return {
        standing: 'unknown',
        finding: {
          reason: 'NotKnown',
          message: 'Something that the decision needs could not be read, or not yet.',
          actor: 'nobody',
          remedy: findReason('Explained', 'NotKnown')?.remedy,
        },
      };
  }
}

interface Event extends KubeObject {
  readonly reason?: string;
  readonly involvedObject?: { readonly name?: string; readonly kind?: string };
  readonly firstTimestamp?: string | null;
  readonly eventTime?: string | null;
}

const events: Resource = { group: '', version: 'v1', resource: 'events' };

/** Adds the start time: the agent records it by an Event in the workspace, if that accepts Events. */
export async function dated(
  report: ObjectReport,
  engagements: readonly Engagement[],
  signal: AbortSignal,
): Promise<ObjectReport> {
  const {
    finding,
    standing,
    workspace: { cluster },
    kind,
    object,
  } = report;
  const engagement = engagements.find(({ workspaces }) => workspaces.has(cluster));
  if (finding === undefined || standing !== 'held' || engagement === undefined) return report;
  const { namespace = 'default', name } = parseClusterKey(`${cluster}|${object}`);
  const listed = await list<Event>(engagement.clientFor(cluster), events, {
    namespace,
    fieldSelector: `involvedObject.name=${name}`,
    signal,
  });
  if (listed.kind === 'failed') return report;
  const matching = listed.items.filter(
    ({ reason, involvedObject }) =>
      reason === finding.reason && involvedObject?.name === name && involvedObject.kind === kind,
  );
  const since = matching
    .map(({ firstTimestamp, eventTime, metadata }) => firstTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '')
    .filter((time) => time !== '')
    .sort()[0];
  return since === undefined ? report : { ...report, finding: { ...finding, since } };
}
