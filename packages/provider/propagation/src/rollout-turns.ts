import { objectKey } from '@hawser/client';
import { type APIServiceExport, type BoundSchema, hawserAnnotations, readSchemaApplied } from '@hawser/kube-bind';
import { type Assessment, hashesOf, hashOf } from './assess.js';
import type { Assessor } from './assessor.js';
import { type Hold, holds } from './hold.js';
import type { PropagationCaches } from './propagation-caches.js';
import { type Member, parseRollout, turnOf } from './rollout.js';
import type { WaitingExports } from './waiting-exports.js';

/** Decides whose turn it is in a step-by-step roll-out of a schema. */
export class RolloutTurns {
  readonly #caches: PropagationCaches;
  readonly #assessor: Assessor;
  readonly #waiting: WaitingExports;

  constructor(caches: PropagationCaches, assessor: Assessor, waiting: WaitingExports) {
    this.#caches = caches;
    this.#assessor = assessor;
    this.#waiting = waiting;
  }

  /** Why an export must wait for others; undefined: it is its turn. */
  holdOf(found: APIServiceExport, key: string, resource: string, hash: string): Hold | undefined {
    const text = this.#caches.rolloutTextOf(found, resource);
    const rollout = parseRollout(text);
    if (rollout === undefined) return undefined;
    const members = this.#caches
      .exportsOf(resource)
      .flatMap((one) => (this.#caches.rolloutTextOf(one, resource) === text ? this.#memberOf(one, resource) : []));
    const turn = turnOf(rollout, members, key);
    if (turn.kind === 'now') return undefined;
    this.#waiting.add(resource, key);
    return turn.kind === 'stopped'
      ? holds.stopped(resource, hash, turn.failed)
      : holds.waits(resource, hash, turn.step, turn.steps, turn.missing);
  }

  /**
   * The members of a schema's roll-out: consumers that have it or may still get it. Steps stay the same while approvals
   * come one by one.
   */
  #memberOf(found: APIServiceExport, resource: string): readonly Member[] {
    const boundSchema =
      found.metadata.deletionTimestamp === undefined ? this.#caches.schemaOf(found, resource) : undefined;
    if (boundSchema === undefined) return [];
    const assessment = this.#assessor.assess(found, boundSchema);
    const state = stateOf(assessment, boundSchema);
    if (state === undefined) return [];
    const isProven = hashesOf(this.#caches.decided(found), hawserAnnotations.schemaProven).includes(
      schemaAt(assessment, boundSchema),
    );
    return [{ key: objectKey(found), labels: this.#caches.labelsOf(found), state: isProven ? 'proven' : state }];
  }
}

function stateOf(assessment: Assessment, boundSchema: BoundSchema): Member['state'] | undefined {
  switch (assessment.kind) {
    case 'candidate':
    case 'rollBack':
      return 'waiting';
    case 'held':
      // Exports held for other reasons are not on their way to it.
      return assessment.hold.reason === 'BreakingSchemaChange' || assessment.hold.reason === 'SchemaRolledBack'
        ? 'waiting'
        : undefined;
    case 'inStep': {
      // A consumer that bound it later proves nothing about the change.
      if (boundSchema.metadata.annotations?.[hawserAnnotations.previousSchema] === undefined) return undefined;
      const answer = readSchemaApplied(boundSchema.status?.conditions);
      if (answer?.hash !== hashOf(boundSchema)) return 'unproven';
      return answer.kind === 'applied' ? 'proven' : 'failed';
    }
  }
}

/** The hash of the schema that a consumer will get, or has. */
function schemaAt(assessment: Assessment, boundSchema: BoundSchema): string {
  switch (assessment.kind) {
    case 'candidate':
      return assessment.wanted.hash;
    case 'rollBack':
      return assessment.rejected;
    case 'held':
      return assessment.hold.candidate ?? '';
    case 'inStep':
      return hashOf(boundSchema);
  }
}
