import {
  type Client,
  type KubeObject,
  type ObjectKey,
  type Resource,
  isNotFound,
  keyOf,
  messageOf,
  objectKey,
} from '@hawser/client';
import type { Clock } from '@hawser/clock';
import { type CustomResourceDefinition, resources } from '@hawser/kube-bind';
import { never, until } from './waiting.js';

export interface GroundOptions {
  /** The most that one step may take. */
  readonly timeoutMs: number;
  /** For names that nobody else has. */
  readonly suffix: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const manager = 'hawser-conformance';

/** What all checks stand on: requests to API servers, and waiting for what becomes of them. */
export abstract class Ground {
  readonly clock: Clock;
  readonly suffix: string;
  readonly #options: GroundOptions;

  constructor(options: GroundOptions) {
    this.#options = options;
    this.clock = options.clock;
    this.suffix = options.suffix;
  }

  /** What the checks do themselves while they wait for others. */
  protected meanwhile(): Promise<void> {
    return Promise.resolve();
  }

  /** Undefined if it, or its API, is not there. */
  async read<T extends KubeObject>(client: Client, resource: Resource, key: ObjectKey): Promise<T | undefined> {
    try {
      return await client.get<T>(resource, key);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Nothing if the API is not there. */
  async listIfServed<T extends KubeObject>(client: Client, resource: Resource): Promise<readonly T[]> {
    try {
      return (await client.list<T>(resource)).items;
    } catch (error) {
      if (isNotFound(error)) return [];
      throw error;
    }
  }

  async gone(client: Client, resource: Resource, key: ObjectKey): Promise<void> {
    await this.until(`${resource.resource} ${objectKey(key)} is gone from the ${client.name}`, async () =>
      (await this.read(client, resource, key)) === undefined ? true : undefined,
    );
  }

  until<T>(what: string, look: () => Promise<T | undefined>, timeoutMs = this.#options.timeoutMs): Promise<T> {
    return until({ ...this.#waiting(), timeoutMs }, what, look);
  }

  never(forMs: number, look: () => Promise<string | undefined>): Promise<void> {
    return never(this.#waiting(), forMs, look);
  }

  /** Waits until nothing is written any more, and looks for that long whether something is. `versions` is empty while it is too early. @throws Deviation */
  async rests(forMs: number, versions: () => Promise<string>, otherwise: string): Promise<void> {
    let before = '';
    await this.until('they are in step', async () => {
      const now = await versions();
      const isQuiet = now !== '' && now === before;
      before = now;
      return isQuiet ? true : undefined;
    });
    await this.never(forMs, async () => ((await versions()) === before ? undefined : otherwise));
  }

  #waiting() {
    const { clock, signal, timeoutMs } = this.#options;
    return { clock, signal, timeoutMs, meanwhile: () => this.meanwhile() };
  }

  applyObject<T extends KubeObject>(client: Client, resource: Resource, object: KubeObject): Promise<T> {
    return client.patch<T>(
      resource,
      keyOf(object),
      { type: 'apply', object, force: true },
      { fieldManager: manager, signal: this.#options.signal },
    );
  }

  /** Waits until the API server serves what a CRD defines. */
  established(client: Client, name: string): Promise<CustomResourceDefinition> {
    return this.until(`CRD ${name} is served by the ${client.name}`, async () => {
      const found = await client.get<CustomResourceDefinition>(resources.customResourceDefinitions, { name });
      return found.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') === true
        ? found
        : undefined;
    });
  }

  /** Removes everything that was made, whatever became of it. Resolves to what could not be removed. */
  abstract remove(): Promise<readonly string[]>;
}

/** Takes things away one after the other, and goes on where one of them does not go. */
export class Removal {
  /** What could not be removed, and why. */
  readonly left: string[] = [];

  async attempt(what: string, step: () => Promise<unknown>): Promise<void> {
    try {
      await step();
    } catch (error) {
      if (!isNotFound(error)) this.left.push(`${what}: ${messageOf(error)}`);
    }
  }

  drop(client: Client, resource: Resource, key: ObjectKey): Promise<void> {
    return this.attempt(`${resource.resource} ${key.name} of the ${client.name}`, () => client.delete(resource, key));
  }
}
