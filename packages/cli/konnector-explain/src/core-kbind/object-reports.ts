import {
  type Client,
  type Resource,
  type UnstructuredObject,
  getIfExists,
  isApiError,
  objectKey,
} from '@hawser/client';
import type { BoundSync } from '@hawser/kbind-binding';
import { parseKey } from '@hawser/konnector-sync';
import { type RehearsedWrite, list } from '@hawser/preview';

import type { ExplainContext } from '../context.js';
import { reportObject } from '../object-report.js';
import type { Examination } from '../pairs.js';
import type { PlannedWrite } from '../preview-client.js';
import type { ObjectReport } from '../report.js';
import type { WriteTarget } from './rehearsal.js';

export interface ObjectsContext {
  readonly context: ExplainContext;
  readonly provider: Client;
  readonly bound: BoundSync;
  readonly kind: string;
  /** All writes of the rehearsal. */
  readonly writes: readonly RehearsedWrite<WriteTarget>[];
  readonly alive: boolean;
  readonly dryRun: boolean;
}

type Found = ReadonlyMap<string, UnstructuredObject>;

/** How the objects of one bound API stand: all, or the one with that key. @throws ApiError if a side is unreadable */
export async function objectReports(of: ObjectsContext, only: string | undefined): Promise<readonly ObjectReport[]> {
  const { context, provider, bound } = of;
  const resource = resourceOf(bound);
  const [consumers, copies] = await Promise.all(
    [context.consumer, provider].map((client) =>
      only === undefined ? listed(client, bound, context.signal) : one(client, resource, only, context.signal),
    ),
  );
  if (consumers === undefined || copies === undefined) return [];
  const byKey = Map.groupBy(
    of.writes.filter((write) => isOfAPI(write, bound)),
    ({ key }) => objectKey(key),
  );
  const keys = only === undefined ? [...new Set([...consumers.keys(), ...copies.keys()])].sort() : [only];
  const reports: ObjectReport[] = [];
  for (const key of keys) {
    const examination = examined(key, bound, { consumers, copies, writes: (byKey.get(key) ?? []).map(planned) });
    // Copies of others, which only share the place.
    if (examination.consumer === undefined && examination.verdict.kind === 'absent') continue;
    // Another binding reports them.
    if (only === undefined && examination.verdict.kind === 'notSelected') continue;
    reports.push(
      await reportObject(examination, {
        kind: of.kind,
        consumer: context.consumer,
        alive: of.alive,
        dryRun: of.dryRun,
        now: context.now(),
        signal: context.signal,
      }),
    );
  }
  return reports;
}

/** Whether a write goes to an object of the API, or to its copy. */
export function isOfAPI({ side, resource, key }: RehearsedWrite<WriteTarget>, { config }: BoundSync): boolean {
  if (side.kind === 'provider' && side.connection !== config.link.connection) return false;
  if (resource.resource !== config.plural || resource.group !== config.group) return false;
  return config.namespace === undefined || config.namespace === key.namespace;
}

export function planned({ side, ...write }: RehearsedWrite<WriteTarget>): PlannedWrite {
  return { ...write, side: side.kind };
}

export function resourceOf({ config: { group, version, plural } }: BoundSync): Resource {
  return { group, version, resource: plural };
}

/** The state before the first write; the sync reports how the pair stands after the last. */
function examined(
  object: string,
  { sync }: BoundSync,
  found: { readonly consumers: Found; readonly copies: Found; readonly writes: readonly PlannedWrite[] },
): Examination {
  const { verdict, problem } = sync.why(object);
  const { writes } = found;
  const isDone = ['inStep', 'absent', 'notSelected'].includes(verdict.kind);
  return {
    object,
    consumer: found.consumers.get(object),
    copy: found.copies.get(object),
    writes,
    verdict: isDone && writes.length > 0 ? { kind: 'progressing', waitingFor: 'write' } : verdict,
    ...(problem === undefined || problem.actor === 'nobody' || verdict.kind === 'held' ? {} : { obstacle: problem }),
  };
}

async function listed(client: Client, bound: BoundSync, signal: AbortSignal): Promise<Found> {
  const { namespace } = bound.config;
  const answer = await list(client, resourceOf(bound), { namespace, signal });
  if (answer.kind === 'failed') throw answer.error;
  return new Map(answer.items.map((object) => [objectKey(object.metadata), object]));
}

async function one(client: Client, resource: Resource, key: string, signal: AbortSignal): Promise<Found> {
  try {
    const object = await getIfExists(client, resource, parseKey(key), { signal });
    return new Map(object === undefined ? [] : [[key, object]]);
  } catch (error) {
    // The resource itself is missing.
    if (isApiError(error, 'NotFound')) return new Map();
    throw error;
  }
}
