import { type Client, statusPatch } from '@hawser/client';
import type { Clock, Random } from '@hawser/clock';
import { type Efforts, createEfforts } from '@hawser/controller';
import { type APIServiceBinding, type APIServiceBindingStatus, commitStatus, resources } from '@hawser/kube-bind';
import type { EventRecorder } from '@hawser/telemetry';

import { recordUndone } from './condition-events.js';

export interface BindingStatusesOptions {
  /** Client of the consumer. */
  readonly client: Client;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly random: Random;
}

/** Result of a status write. */
export interface StatusWritten {
  /** The present binding; undefined: it is gone. */
  readonly binding: APIServiceBinding | undefined;
  /** Milliseconds until it may be written; 0: it is up to date, or was written. */
  readonly waitMs: number;
}

interface WrittenContent {
  readonly text: string;
  readonly turn: number;
}

/**
 * Writes the status of APIServiceBindings for one controller. Repeats a write that does not last with growing delays,
 * up to 5 min: an admission webhook removes it, which the Event `WritesUndone` reports, or another writer reverts it
 * each time. Writes new content at once.
 */
export class BindingStatuses {
  readonly #options: BindingStatusesOptions;
  readonly #undone: Efforts;
  /** Binding → last written content. */
  readonly #lastContent = new Map<string, WrittenContent>();

  constructor(options: BindingStatusesOptions) {
    this.#options = options;
    this.#undone = createEfforts(options.clock, options.random);
  }

  /** Writes the changes of `mutate`, which may run several times. @throws {ApiError} */
  async write(
    binding: APIServiceBinding,
    mutate: (status: APIServiceBindingStatus) => APIServiceBindingStatus,
    signal: AbortSignal,
  ): Promise<StatusWritten> {
    const { client, events, clock, random } = this.#options;
    const { name } = binding.metadata;
    const before = binding.status ?? {};
    const next = mutate(before);
    if (statusPatch(before, next) === undefined) return { binding, waitMs: 0 };
    const content = this.#next(name, textOf(before, next));
    const id = `${name}\n${content.turn}`;
    const waitMs = Math.max(this.#undone.waits(name), this.#undone.waits(id));
    if (waitMs > 0) return { binding, waitMs };
    const written = await commitStatus(client, resources.apiServiceBindings, binding, mutate, {
      clock,
      random,
      signal,
    });
    if (written === undefined || written === binding) return { binding: written, waitMs: 0 };
    this.#lastContent.set(name, content);
    const stands = written.status ?? {};
    const stays = statusPatch(stands, mutate(stands)) === undefined;
    this.#undone.done(stays ? id : name);
    if (!stays) recordUndone(events, binding, 'the status of this binding');
    return { binding: written, waitMs: 0 };
  }

  #next(name: string, text: string): WrittenContent {
    const last = this.#lastContent.get(name);
    return last?.text === text ? last : { text, turn: (last?.turn ?? 0) + 1 };
  }
}

/** Text of the new content, independent of its time. */
function textOf({ conditions: before = [] }: APIServiceBindingStatus, next: APIServiceBindingStatus): string {
  const text = ({ type, status, reason = '', message = '' }: (typeof before)[number]): string =>
    JSON.stringify([type, status, reason, message]);
  const known = new Set(before.map(text));
  return (next.conditions ?? [])
    .map(text)
    .filter((one) => !known.has(one))
    .join('\n');
}
