import { type MoveWish, moveObject, planMove, refusalText } from '@hawser/bind';
import { type Client, createClient, isApiError } from '@hawser/client';
import type { SimCluster } from '../sim-cluster.js';
import type { VirtualTime } from '../virtual-time.js';
import { type Provider, type Slot, connectionTo } from './scenario.js';
import { resourceOf } from './users.js';

export interface MovesParts {
  readonly time: VirtualTime;
  readonly consumer: () => SimCluster;
  /** Output of the command, line by line. */
  readonly tell: (line: string) => void;
  /** The command threw an error that no API server sent. */
  readonly fail: (error: unknown) => void;
}

export interface Move {
  readonly to: Provider;
  readonly undo: boolean;
  /** Abort that long after the start of a step. */
  readonly breakOff?: { readonly step: number; readonly afterMs: number } | undefined;
}

const TIMEOUT_MS = 180_000;

/** `hawser move`, as people type it: once; some abort it. */
export class Moves {
  readonly #parts: MovesParts;
  /** Object → target. */
  readonly #running = new Map<number, Provider>();

  constructor(parts: MovesParts) {
    this.#parts = parts;
  }

  movesTo(object: number): Provider | undefined {
    return this.#running.get(object);
  }

  /** Resolves at the end of the command: whether all was done. */
  async type(slot: Slot, move: Move): Promise<boolean> {
    const cluster = this.#parts.consumer();
    if (this.#running.has(slot.object) || !cluster.up) return false;
    this.#running.set(slot.object, move.to);
    const { name, direct, administrator } = cluster;
    const own = { clock: this.#parts.time, random: () => 0.5 };
    const client = createClient({ name, connection: administrator, dispatcher: direct, ...own });
    const aborter = new AbortController();
    try {
      return await this.#carryOut(client, slot, move, aborter);
    } catch (error) {
      if (!isApiError(error) && !aborter.signal.aborted) this.#parts.fail(error);
      return false;
    } finally {
      this.#running.delete(slot.object);
      await client.close();
    }
  }

  async #carryOut(client: Client, slot: Slot, move: Move, aborter: AbortController): Promise<boolean> {
    const { time, tell } = this.#parts;
    const { namespace, name } = slot;
    const { group, resource } = resourceOf(slot);
    const wish: MoveWish = {
      key: { namespace, name },
      to: connectionTo(move.to),
      api: `${resource}.${group}`,
      undo: move.undo,
    };
    const { signal } = aborter;
    const plan = await planMove(client, wish, signal);
    for (const refusal of plan.refusals) tell(refusalText(refusal));
    if (plan.refusals.length > 0) return false;
    let steps = 0;
    const told = (line: string): void => {
      tell(`${namespace}/${name}: ${line}`);
      if (++steps === move.breakOff?.step)
        time.setTimeout(() => {
          aborter.abort();
        }, move.breakOff.afterMs);
    };
    const options = { consumer: client, clock: time, print: told, timeoutMs: TIMEOUT_MS, signal };
    return (await moveObject(options, wish, plan)).kind === 'done';
  }
}
