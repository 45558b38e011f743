import { objectKey } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import type { ControllerContext } from '@hawser/controller';
import type { Place } from './belonging.js';
import type { Copy } from './copies.js';
import type { Settled } from './decide-consumer.js';
import { decideExport } from './decide.js';
import type { Batch, Decision, Step } from './decision.js';
import type { ExportObject } from './export-object.js';
import type { ExportMemories, ExportMemory } from './export-memories.js';
import type { Actor } from './act.js';
import type { LiveReader } from './live-reader.js';
import type {
  Attempt,
  BudgetAnswers,
  EndReading,
  ExportSettings,
  ObservedExport,
  PlaceReading,
  Reading,
  Turn,
} from './observed.js';
import type { ProviderCaches } from './provider-caches.js';

export interface ExportRunPorts {
  readonly clock: Clock;
  readonly logger: ControllerContext['logger'];
  readonly caches: ProviderCaches;
  readonly memories: ExportMemories;
  readonly reader: LiveReader;
  readonly actor: Actor;
  readonly settings: ExportSettings;
}

/** One look at one export: has it decided about again and again, with what each step has taught, until it is settled. */
export class ExportRun {
  readonly #ports: ExportRunPorts;
  readonly #found: ExportObject;
  readonly #resources: readonly string[];
  readonly #memory: ExportMemory;
  #turn: Turn = 0;
  #reading: Reading | undefined;
  #answers: BudgetAnswers | undefined;
  #end: EndReading | undefined;
  readonly #places = new Map<string, PlaceReading>();
  readonly #attempts = new Map<string, Attempt>();

  /** `resources`: those of the export that no other export stands for. */
  constructor(ports: ExportRunPorts, found: ExportObject, resources: readonly string[]) {
    this.#ports = ports;
    this.#found = found;
    this.#resources = resources;
    this.#memory = ports.memories.of(found);
  }

  async run(signal: AbortSignal): Promise<Settled> {
    for (;;) {
      const decision = decideExport(this.#observe(), this.#ports.settings);
      if (decision.kind === 'settled') return this.#settle(decision, signal);
      await this.#carryOut(decision.step, signal);
    }
  }

  #observe(): ObservedExport {
    const { clock, caches } = this.#ports;
    const { budget, since, deleted } = this.#memory;
    return {
      found: this.#found,
      namespaceEnds: caches.namespaceEnds(this.#found.metadata.namespace ?? ''),
      resources: this.#resources,
      endedSince: since,
      now: clock.monotonic(),
      reading: this.#reading,
      answers: this.#answers,
      budget: { held: budget.held, perMinute: budget.perMinute },
      end: this.#end,
      places: this.#places,
      attempts: this.#attempts,
      deleted,
    };
  }

  async #carryOut(step: Step, signal: AbortSignal): Promise<void> {
    switch (step.type) {
      case 'readCopies':
        return this.#readCopies(step.resources, signal);
      case 'askBudget':
        this.#askBudget(step.copies, step.approved);
        return;
      case 'proveEnded':
        return this.#proveEnded(step.batch, signal);
      case 'provePlace':
        return this.#provePlace(step.batch, step.place, signal);
      case 'deleteCopies':
        return this.#deleteCopies(step.batch, signal);
    }
  }

  async #settle({ conclusions, left }: Extract<Decision, { kind: 'settled' }>, signal: AbortSignal): Promise<Settled> {
    const deleted = [...this.#attempts.values()].reduce((sum, one) => sum + one.deleted, 0);
    if (deleted > 0)
      this.#ports.logger.info('Copies of an export that has ended are deleted.', {
        key: objectKey(this.#found),
        deleted,
      });
    let waitMs: number | undefined;
    for (const conclusion of conclusions) {
      if (conclusion.type === 'wait') waitMs = conclusion.ms;
      else await this.#ports.actor.concludeExport(this.#found, conclusion, signal);
    }
    return { left, waitMs };
  }

  async #readCopies(resources: readonly string[], signal: AbortSignal): Promise<void> {
    const { caches, reader } = this.#ports;
    const crds = (await Promise.all(resources.map((resource) => caches.crdOf(resource, signal)))).filter(
      (crd) => crd !== undefined,
    );
    // The turn is that of the question: what is read later is newer for certain.
    const turn = this.#next();
    const reading = await reader.copies(this.#found, crds, caches.placesOf(this.#clusterNamespace), signal);
    this.#reading = { ...reading, turn };
  }

  /** All that is to go is known to the budget before it is asked about any. */
  #askBudget(copies: readonly Copy[], approved: string): void {
    const { budget } = this.#memory;
    const ids = new Set(copies.map(({ id }) => id));
    for (const id of this.#memory.ids) if (!ids.has(id)) budget.withdraw(id);
    for (const { id, uid } of copies) budget.waits(id, uid);
    this.#memory.ids = ids;
    budget.approve(approved);
    this.#answers = { turn: this.#next(), of: new Map([...ids].map((id) => [id, budget.answer(id)])) };
  }

  async #proveEnded(batch: Batch, signal: AbortSignal): Promise<void> {
    const turn = this.#next();
    this.#end = { turn, batch: batch.id, ...(await this.#ports.reader.end(this.#clusterNamespace, signal)) };
  }

  async #provePlace(batch: Batch, place: Place, signal: AbortSignal): Promise<void> {
    const turn = this.#next();
    this.#places.set(batch.id, { turn, says: await this.#ports.reader.place(this.#clusterNamespace, place, signal) });
  }

  async #deleteCopies(batch: Batch, signal: AbortSignal): Promise<void> {
    const attempt = await this.#ports.actor.deleteCopies(batch, this.#memory, signal);
    this.#attempts.set(batch.id, { turn: this.#next(), ...attempt });
  }

  get #clusterNamespace(): string {
    return this.#found.metadata.namespace ?? '';
  }

  #next(): Turn {
    return ++this.#turn;
  }
}
