import type { JsonObject, JsonValue } from '@hawser/json';
import { type Difference, differences } from './compare.js';
import { Identities } from './identities.js';
import { type KnownDifference, isKnown } from './known-differences.js';
import type { Recorded } from './recording.js';
import { type RunningWatch, type Sent, type Target, TargetClient } from './target.js';

export interface Replayed {
  readonly recorded: Recorded;
  readonly differences: readonly Difference[];
}

/** Watches that were open during other requests: by name, the request before which they begin. */
const BEGINS_BEFORE: Readonly<Record<string, string>> = {
  'watch wildcard while objects come and go': 'create in a',
  'watch wildcard while b unbinds': 'b deletes its binding',
  'watch wildcard while workspace a is deleted': 'delete workspace a',
};
const TOO_OLD = 'watch wildcard from resourceVersion 1';
const POLL_MS = 20;

/**
 * Sends each recorded request to a target, in order, and returns the differences. Does not wait for those in `known`.
 */
export async function replay(
  recordings: readonly Recorded[],
  target: Target,
  known: readonly KnownDifference[],
): Promise<readonly Replayed[]> {
  const player = new Player(target, known);
  const results: Replayed[] = [];
  try {
    for (const recorded of recordings) {
      for (const watch of recordings) if (BEGINS_BEFORE[watch.name] === recorded.name) await player.open(watch);
      results.push({ recorded, differences: await player.play(recorded) });
    }
    return results;
  } finally {
    await player.close();
  }
}

class Player {
  readonly #target: Target;
  readonly #client: TargetClient;
  readonly #known: readonly KnownDifference[];
  readonly #ids = new Identities();
  readonly #watches = new Map<string, RunningWatch>();

  constructor(target: Target, known: readonly KnownDifference[]) {
    this.#target = target;
    this.#known = known;
    this.#client = new TargetClient(target);
  }

  async open(recorded: Recorded): Promise<void> {
    this.#watches.set(recorded.name, await this.#client.watch(this.#sent(recorded)));
  }

  play(recorded: Recorded): Promise<readonly Difference[]> {
    return recorded.response.events === undefined
      ? this.#request(recorded)
      : this.#watch(recorded, recorded.response.events);
  }

  async close(): Promise<void> {
    for (const watch of this.#watches.values()) watch.stop();
    await this.#client.close();
  }

  /** Repeats a read until it gives the recorded answer, or time is up: kcp's controllers take a while. */
  async #request(recorded: Recorded): Promise<readonly Difference[]> {
    const sent = this.#sent(recorded);
    const deadline = Date.now() + this.#target.patienceMs;
    for (;;) {
      const answer = await this.#client.send(sent);
      const found = this.#compare(
        { status: recorded.response.status, body: recorded.response.body ?? null },
        { status: answer.status, body: answer.body },
        sent,
      );
      if (
        found.every((each) => isKnown(recorded, each, this.#known) !== undefined) ||
        sent.method !== 'GET' ||
        Date.now() > deadline
      )
        return found;
      await pause(POLL_MS);
    }
  }

  async #watch(recorded: Recorded, events: readonly JsonObject[]): Promise<readonly Difference[]> {
    if (recorded.name === TOO_OLD) this.#target.forget?.();
    const watch = this.#watches.get(recorded.name) ?? (await this.#client.watch(this.#sent(recorded)));
    const deadline = Date.now() + this.#target.patienceMs;
    while (watch.events.length < events.length && Date.now() < deadline) await pause(POLL_MS);
    await pause(this.#target.settleMs);
    watch.stop();
    return this.#compare(
      { status: recorded.response.status, events: inOrder(events, this.#ids) },
      { status: watch.status, events: inOrder(watch.events) },
      this.#sent(recorded),
    );
  }

  #compare(recorded: JsonObject, actual: JsonObject, { path }: Sent): readonly Difference[] {
    const found = differences(recorded, actual, this.#ids);
    // The first page depends on ids.
    return /[?&]limit=1(?:&|$)/u.test(path) ? found.filter((each) => !each.path.startsWith('body.items')) : found;
  }

  #sent({ request }: Recorded): Sent {
    const path = this.#ids
      .translate(request.path)
      .replace(
        /resourceVersion=(\d+)/u,
        (_match, revision: string) => `resourceVersion=${this.#ids.revision(Number(revision))}`,
      );
    return { ...request, path, ...(request.body === undefined ? {} : { body: this.#body(request.body) }) };
  }

  /** With this run's ids; maps known resourceVersions. */
  #body(body: JsonValue): JsonValue {
    const translated = this.#ids.translateValue(body);
    if (typeof translated !== 'object' || translated === null || Array.isArray(translated)) return translated;
    const { metadata, ...rest } = translated as JsonObject & { readonly metadata?: JsonObject };
    const revision = metadata?.['resourceVersion'];
    if (typeof revision !== 'string' || revision === '1') return translated;
    return { ...rest, metadata: { ...metadata, resourceVersion: this.#ids.revision(Number(revision)) } };
  }
}

/** Initial events come in the order of ids, which differ per run: sorts them by name and cluster. */
function inOrder(events: readonly JsonObject[], ids?: Identities): readonly JsonObject[] {
  const end = events.findIndex(({ type }) => type === 'BOOKMARK');
  const keyOf = ({ object }: JsonObject): string => {
    const { name = '', annotations = {} } = ((object as JsonObject)['metadata'] ?? {}) as {
      readonly name?: string;
      readonly annotations?: Readonly<Record<string, string>>;
    };
    const cluster = annotations['kcp.io/cluster'] ?? '';
    return `${name}@${ids === undefined ? cluster : ids.translate(cluster)}`;
  };
  return end < 0
    ? events
    : [...events.slice(0, end).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)), ...events.slice(end)];
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
