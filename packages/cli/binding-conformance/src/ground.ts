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
  /** Limit for one step. */
  readonly timeoutMs: number;
  /** Makes names unique. */
  readonly suffix: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const manager = 'hawser-conformance';

/** Base of all checks: requests to API servers, and waits for their results. */
export abstract class Ground {
  readonly clock: Clock;
  readonly suffix: string;
  readonly #options: GroundOptions;

  constructor(options: GroundOptions) {
    this.#options = options;
    this.clock = options.clock;
    this.suffix = options.suffix;
  }

  /** Work of the checks during a wait. */
  protected meanwhile(): Promise<void> {
    return Promise.resolve();
  }

  /** Undefined if the object or its API does not exist. */
  async read<T extends KubeObject>(client: Client, resource: Resource, key: ObjectKey): Promise<T | undefined> {
    try {
      return await client.get<T>(resource, key);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Empty if the API does not exist. */
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

  /**
   * Waits until writes stop, then watches that long for further ones. `versions` is empty while it is too early.
   * @throws Deviation
   */
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

  /** Waits until the API server serves the API of a CRD. */
  established(client: Client, name: string): Promise<CustomResourceDefinition> {
    return this.until(`CRD ${name} is served by the ${client.name}`, async () => {
      const found = await client.get<CustomResourceDefinition>(resources.customResourceDefinitions, { name });
      return found.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') === true
        ? found
        : undefined;
    });
  }

  /** Removes all objects made, in any state. Resolves to those that could not be removed. */
  abstract remove(): Promise<readonly string[]>;
}

/** Removes objects one after the other, and continues after a failure. */
export class Removal {
  /** Objects that could not be removed, and why. */
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
