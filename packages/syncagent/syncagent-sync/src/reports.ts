import type { UnstructuredObject } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import { type ObjectProblem, type Problem, createProblems } from '@hawser/controller';
import type { Logger } from '@hawser/telemetry';

import type { ActResult } from './act.js';
import type { Action } from './decision.js';
import type { SyncOptions } from './sync-options.js';
import type { WorkspaceEvents } from './workspace-events.js';

/** Reports on the objects of one sync: problems, and Events in their workspaces. */
export interface Reports {
  /** The problems of the object and its related ones; none: it is in step, or on its way. */
  setProblems(key: string, cluster: string, about: UnstructuredObject | undefined, problems: readonly Problem[]): void;
  /** A copy whose object is missing. */
  orphan(key: string, message: string): void;
  /** Neither the object nor a copy exists any more. */
  forget(key: string): void;
  acted(cluster: string, about: UnstructuredObject, action: Action, result: ActResult): void;
  problems(): readonly ObjectProblem[];
  of(key: string): ObjectProblem | undefined;
  readonly failing: number;
  readonly orphans: number;
  /** Time of the last step, in milliseconds since the epoch. */
  readonly lastActedMs: number | undefined;
}

export interface ReportsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: WorkspaceEvents;
  readonly eventLevel: NonNullable<SyncOptions['events']>;
  readonly changed: () => void;
}

const ORPHANED = 'Orphaned';

export function createReports({ clock, logger, events, eventLevel, changed }: ReportsOptions): Reports {
  const problems = createProblems(() => clock.now(), changed);
  const orphans = new Set<string>();
  let lastActedMs: number | undefined;
  const clear = (key: string): void => {
    orphans.delete(key);
    problems.clear(key);
  };
  return {
    setProblems(key, cluster, about, all) {
      orphans.delete(key);
      const [first, ...more] = all.filter(({ actor }) => actor !== 'nobody');
      if (first === undefined) {
        problems.clear(key);
        return;
      }
      const problem =
        more.length === 0
          ? first
          : {
              ...first,
              message: `${first.message} (${more.length} more ${more.length === 1 ? 'problem' : 'problems'} with this object.)`,
            };
      if (!problems.set(key, problem)) return;
      logger.warn('object not in step', { object: key, reason: first.reason, actor: first.actor });
      if (about !== undefined)
        events.record(cluster, about, { type: 'Warning', reason: first.reason, message: forConsumer(first) });
    },
    orphan(key, message) {
      if (orphans.has(key)) return;
      problems.set(key, { reason: ORPHANED, message, actor: 'provider' });
      orphans.add(key);
      logger.warn('copy without an object', { object: key });
      changed();
    },
    forget: clear,
    acted(cluster, about, action, result) {
      lastActedMs = clock.now();
      const event = eventOf(action, result);
      if (
        event === undefined ||
        (event.level !== 'always' && (eventLevel === 'warnings' || (event.level === 'all' && eventLevel !== 'all')))
      )
        return;
      events.record(cluster, about, {
        type: event.level === 'always' ? 'Warning' : 'Normal',
        reason: event.reason,
        message: event.message,
      });
    },
    problems: () => problems.all(),
    of: (key) => problems.get(key),
    get failing() {
      return problems.size - orphans.size;
    },
    get orphans() {
      return orphans.size;
    },
    get lastActedMs() {
      return lastActedMs;
    },
  };
}

/** Shows details of the service cluster only to those who can act there: names there are the provider's. */
function forConsumer({ actor, message, reason }: Problem): string {
  return actor === 'consumer'
    ? message
    : `The service provider has to act (${reason}): this object is not in step at present. It goes on by itself once that is done.`;
}

interface ObjectEvent {
  readonly level: 'all' | 'lifecycle' | 'always';
  readonly reason: string;
  readonly message: string;
}

/** Reasons as the Go agent has them (`spec/api-syncagent.md §6.4`). */
function eventOf(action: Action, { memory, remembered }: ActResult): ObjectEvent | undefined {
  switch (action.type) {
    case 'addFinalizer':
      return { level: 'all', reason: 'ObjectAccepted', message: 'The service provider takes care of this object.' };
    case 'create':
      return remembered === true ? PLACED : undefined;
    case 'adopt':
      return PLACED;
    case 'patch':
      return { level: 'all', reason: 'ObjectSynced', message: 'Changes have been passed on.' };
    case 'writeStatusBack':
      return { level: 'all', reason: 'ObjectStatusSynced', message: 'The status is up to date.' };
    case 'delete':
      return { level: 'all', reason: 'ObjectCleanup', message: 'The deletion has been passed on.' };
    case 'releaseFinalizer':
      return {
        level: 'lifecycle',
        reason: 'ObjectDeleted',
        message: 'Nothing of this object is left with the service provider.',
      };
    case 'writeStatusForward':
      return memory?.statusMissing === true
        ? {
            level: 'always',
            reason: 'StatusSubresourceMissing',
            message: 'The status cannot be passed on: the other side has no status subresource.',
          }
        : undefined;
    case 'take':
      return PLACED;
    case 'confirmHolder':
    case 'confirmWritten':
    case 'confirmAgreement':
    case 'storeSnapshot':
    case 'confirmGone':
    case 'confirmDeletion':
    case 'forget':
      return undefined;
  }
}

const PLACED: ObjectEvent = {
  level: 'lifecycle',
  reason: 'ObjectPlaced',
  message: 'The object has been handed to the service provider.',
};
