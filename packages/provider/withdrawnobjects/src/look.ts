import { isOutage } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import type { CopyNamespace } from './belonging.js';
import type { Copy } from './copies.js';
import type { ConsumerAction, ConsumerQuestion, SeenConsumer, SeenExport } from './decide-look.js';
import type { Batch, Question, Write } from './decision.js';
import type { ExportMemories, ExportMemory } from './export-memories.js';
import { type ExportObject, hasEnded } from './export-object.js';
import type { Left, LeftCounts } from './left.js';
import type { LiveReader } from './live-reader.js';
import type { Attempt, BudgetAnswers, EndReading, OwnerReading, Reading, Turn } from './observed.js';
import type { ProviderCaches } from './provider-caches.js';

export interface LookPorts {
  readonly clock: Clock;
  readonly caches: ProviderCaches;
  readonly memories: ExportMemories;
  readonly counts: LeftCounts;
  readonly reader: LiveReader;
  /** Delay before remaining copies are counted again, in milliseconds; differs at each call. */
  readonly countAgainMs: () => number;
}

/** Knowledge gathered in one look at a consumer. */
export class ConsumerLook {
  readonly #ports: LookPorts;
  readonly #clusterNamespace: string;
  readonly #offered: readonly string[];
  readonly #exports = new Map<string, ExportLook>();
  readonly #counts = new Map<string, Left | undefined>();
  #isLeftUnreported = false;
  /** The first failed read that blocked nothing else. Undefined: none, or the look has failed with it. */
  #failure: unknown;

  constructor(ports: LookPorts, clusterNamespace: string) {
    this.#ports = ports;
    this.#clusterNamespace = clusterNamespace;
    this.#offered = ports.caches.offered();
  }

  /** A snapshot: later knowledge does not change it. */
  seen(): SeenConsumer {
    const { caches, clock, countAgainMs } = this.#ports;
    const namespaceEnds = caches.namespaceEnds(this.#clusterNamespace);
    const now = clock.monotonic();
    const exports = caches.exports.list(this.#clusterNamespace);
    const about = (found: ExportObject): SeenExport => ({ ...this.of(found).seen(), found, namespaceEnds, now });
    const seen = new Map(exports.map((found) => [found, about(found)]));
    return {
      namespaceEnds,
      exports,
      about: (found) => seen.get(found) ?? about(found),
      offered: this.#offered,
      counts: new Map(this.#counts),
      binding: caches.bindingOf(this.#clusterNamespace),
      date: clock.now(),
      countAgainMs: countAgainMs(),
      isLeftUnreported: this.#isLeftUnreported,
      hasFailed: this.#failure !== undefined,
    };
  }

  /**
   * Answers a question. A failed read of one export, or of one resource, blocks no other one. @throws {ApiError} where
   * the server as a whole does not answer
   */
  async ask(question: ConsumerQuestion, signal: AbortSignal): Promise<void> {
    try {
      await this.#ask(question, signal);
    } catch (error) {
      if (signal.aborted || isOutage(error)) throw error;
      this.#failure ??= error;
      if (question.type !== 'countCopies') this.of(question.found).isStuck = true;
      else {
        this.#counts.set(question.resource, undefined);
        this.#isLeftUnreported = true;
      }
    }
  }

  /** Fails with the read error. */
  fail(): never {
    throw this.#failure;
  }

  async #ask(question: ConsumerQuestion, signal: AbortSignal): Promise<void> {
    if (question.type !== 'countCopies') return this.of(question.found).ask(question, question.found, signal);
    const { caches, counts } = this.#ports;
    const crd = await caches.crdOf(question.resource, signal);
    const count = crd === undefined ? undefined : await counts.of(crd, this.#clusterNamespace, signal);
    this.#counts.set(question.resource, count);
  }

  /** Whether the look continues after a failed action. */
  failed(action: ConsumerAction): boolean {
    switch (action.type) {
      case 'tellExport':
      case 'setFinalizer':
      case 'dropFinalizer':
        this.of(action.found).failed.add(action.type);
        return true;
      case 'deleteCopies':
        this.of(action.found).isStuck = true;
        return true;
      case 'tellLeft':
        this.#isLeftUnreported = true;
        return true;
      case 'fail':
        this.#failure = undefined;
        return true;
      case 'tellDeleted':
        return false;
    }
  }

  /** Starts anew for an export that has ended, stands again, or stood in between. */
  of(found: ExportObject): ExportLook {
    const { uid = '' } = found.metadata;
    const known = this.#exports.get(uid);
    if (known?.isOver === hasEnded(found)) return known;
    const look = new ExportLook(this.#ports, this.#ports.memories.of(found), hasEnded(found));
    this.#exports.set(uid, look);
    return look;
  }
}

/** Knowledge gathered in one look at an export. */
class ExportLook {
  readonly memory: ExportMemory;
  readonly isOver: boolean;
  /** A change of the finalizers was undone. */
  isUndone = false;
  /** A read or a deletion failed. */
  isStuck = false;
  /** Writes that failed in this look. */
  readonly failed = new Set<Write['type']>();
  readonly #ports: LookPorts;
  #turn: Turn = 0;
  #reading: Reading | undefined;
  #answers: BudgetAnswers | undefined;
  #end: EndReading | undefined;
  readonly #owners = new Map<string, OwnerReading>();
  readonly #attempts = new Map<string, Attempt>();

  constructor(ports: LookPorts, memory: ExportMemory, isOver: boolean) {
    this.#ports = ports;
    this.memory = memory;
    this.isOver = isOver;
  }

  seen(): Omit<SeenExport, 'found' | 'namespaceEnds' | 'now'> {
    const { budget, since, deleted } = this.memory;
    return {
      endedSince: since,
      reading: this.#reading,
      answers: this.#answers,
      budget: { held: budget.held, perMinute: budget.perMinute },
      end: this.#end,
      owners: new Map(this.#owners),
      attempts: new Map(this.#attempts),
      deleted,
      isUndone: this.isUndone,
      isStuck: this.isStuck,
      failed: new Set(this.failed),
    };
  }

  async ask(question: Question, found: ExportObject, signal: AbortSignal): Promise<void> {
    const { namespace: clusterNamespace = '' } = found.metadata;
    switch (question.type) {
      case 'readCopies':
        return this.#readCopies(found, clusterNamespace, question.resources, signal);
      case 'askBudget':
        this.#askBudget(question.copies, question.approved);
        return;
      case 'proveEnded': {
        const turn = this.#next();
        const end = await this.#ports.reader.end(clusterNamespace, signal);
        this.#end = { turn, batch: question.batch.id, ...end };
        return;
      }
      case 'proveOwner':
        return this.#proveOwner(clusterNamespace, question.batch, question.copyNamespace, signal);
    }
  }

  /** Records the result of a batch. */
  tried({ id }: Batch, attempt: Omit<Attempt, 'turn'>): void {
    this.#attempts.set(id, { turn: this.#next(), ...attempt });
  }

  async #readCopies(
    found: ExportObject,
    clusterNamespace: string,
    resources: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const { caches, reader } = this.#ports;
    const crds = (await Promise.all(resources.map((resource) => caches.crdOf(resource, signal)))).filter(
      (crd) => crd !== undefined,
    );
    // The turn is that of the question: later reads are certainly newer.
    const turn = this.#next();
    const reading = await reader.copies(found, crds, caches.copyNamespacesOf(clusterNamespace), signal);
    this.#reading = { ...reading, turn };
  }

  /** The budget must know all deletable copies before it answers about one. */
  #askBudget(copies: readonly Copy[], approved: string): void {
    const { budget } = this.memory;
    const ids = new Set(copies.map(({ id }) => id));
    for (const id of this.memory.ids) if (!ids.has(id)) budget.withdraw(id);
    for (const { id, uid } of copies) budget.waits(id, uid);
    this.memory.ids = ids;
    budget.approve(approved);
    this.#answers = { turn: this.#next(), of: new Map([...ids].map((id) => [id, budget.answer(id)])) };
  }

  async #proveOwner(
    clusterNamespace: string,
    batch: Batch,
    copyNamespace: CopyNamespace,
    signal: AbortSignal,
  ): Promise<void> {
    const turn = this.#next();
    this.#owners.set(batch.id, {
      turn,
      owner: await this.#ports.reader.owner(clusterNamespace, copyNamespace, signal),
    });
  }

  #next(): Turn {
    return ++this.#turn;
  }
}
