import type { ControllerContext } from '@hawser/controller';
import type { APIServiceExport, Dialect } from '@hawser/kube-bind';
import { createSnapshots, replaceSchema } from './act.js';
import type { Assessment, WantedSchema } from './assess.js';
import type { Assessor } from './assessor.js';
import { type Hold, holds } from './hold.js';
import type { PropagationCaches, StatedSchema } from './propagation-caches.js';
import type { RolloutTurns } from './rollout-turns.js';
import type { StoredObjects } from './stored-objects.js';
import type { Tally } from './tally.js';

type Candidate = Extract<Assessment, { kind: 'candidate' }>;

/** Stored objects are read in the first, and once more for each change of the CRD meanwhile. */
const maxRounds = 5;

export interface SettlerParts {
  readonly dialect: Dialect;
  readonly logger: ControllerContext<'provider'>['logger'];
  readonly caches: PropagationCaches;
  readonly assessor: Assessor;
  readonly turns: RolloutTurns;
  readonly stored: StoredObjects;
  readonly tally: Tally;
}

/** Lets a changed schema reach a consumer, or says why not. */
export class Settler {
  readonly #parts: SettlerParts;
  readonly #snapshots = createSnapshots();

  constructor(parts: SettlerParts) {
    this.#parts = parts;
  }

  /** To read the stored objects takes long, and people, CRDs and other consumers go on meanwhile: everything is decided once more before it is carried out. */
  async settle(key: string, resource: string, signal: AbortSignal): Promise<Hold | 'again' | undefined> {
    const { assessor, caches, logger, tally, turns } = this.#parts;
    let fitting: string | undefined;
    for (let round = 1; round <= maxRounds; round++) {
      const found = caches.lasting(key);
      const boundSchema = found === undefined ? undefined : caches.schemaOf(found, resource);
      // To make one is the work of the request.
      if (found === undefined || boundSchema === undefined) return undefined;
      const assessment = assessor.assess(found, boundSchema);
      switch (assessment.kind) {
        case 'inStep':
          return undefined;
        case 'held':
          return assessment.hold;
        case 'rollBack':
          logger.info('A rejected schema is taken back.', { key, resource, rejected: assessment.rejected });
          await this.#replace(boundSchema, assessment.wanted, signal);
          return holds.rolledBack(resource, assessment.rejected);
        case 'candidate': {
          const { wanted, comparison, check } = assessment;
          // Before the stored objects, which cost more.
          const turn = turns.holdOf(found, key, resource, wanted.hash);
          if (turn !== undefined) return turn;
          if (check && fitting !== wanted.hash) {
            const hold = await this.#misfits(found, key, resource, assessment, signal);
            if (hold !== undefined && this.#stillConcerns(hold, key, resource)) return hold;
            fitting = hold === undefined ? wanted.hash : undefined;
            continue;
          }
          const { severity } = comparison;
          logger.info('A changed schema reaches a consumer.', { key, resource, hash: wanted.hash, severity });
          await this.#replace(boundSchema, wanted, signal);
          tally.flowed(severity);
          return undefined;
        }
      }
    }
    return 'again';
  }

  async #replace(boundSchema: StatedSchema, wanted: WantedSchema, signal: AbortSignal): Promise<void> {
    const { caches, dialect } = this.#parts;
    caches.boundSchemas.observe(
      await replaceSchema(caches.client, dialect, boundSchema, wanted, this.#snapshots, signal),
    );
  }

  /** Whether the change that objects were held against is still the one that is to be decided about, in the same way. */
  #stillConcerns({ candidate }: Hold, key: string, resource: string): boolean {
    const { assessor, caches } = this.#parts;
    const found = caches.exports.get(key);
    const boundSchema = found === undefined ? undefined : caches.schemaOf(found, resource);
    const assessment =
      found === undefined || boundSchema === undefined ? undefined : assessor.assess(found, boundSchema);
    return assessment?.kind === 'candidate' && assessment.check && assessment.wanted.hash === candidate;
  }

  async #misfits(
    found: APIServiceExport,
    key: string,
    resource: string,
    { wanted: { hash }, comparison }: Candidate,
    signal: AbortSignal,
  ): Promise<Hold | undefined> {
    const { caches, stored } = this.#parts;
    const crd = caches.crds.get({ name: resource });
    if (crd === undefined) return undefined;
    const clusterNamespace = found.metadata.namespace ?? '';
    const namespaces = caches.placesOf(found);
    const verdict = await stored.check({ consumer: key, clusterNamespace, namespaces, crd, hash }, signal);
    switch (verdict.kind) {
      case 'fits':
        return undefined;
      case 'faults':
        return holds.invalid(resource, hash, verdict.message, comparison);
      case 'unread':
        return holds.unread(resource, hash, verdict.message);
    }
  }
}
