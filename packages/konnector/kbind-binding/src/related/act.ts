import {
  type Client,
  getIfExists,
  isAlreadyExists,
  isObjectNotFound,
  type KubeObject,
  type Resource,
  type UnstructuredObject,
} from '@hawser/client';
import { fieldManagers } from '@hawser/core-kbind';
import { copyPatch, type ServiceNamespaces } from '@hawser/konnector-sync';
import type { Action, Proof } from './decision.js';
import { otherSide, type RuleSet, selects, type Side } from './rules.js';

/** What an action learned beyond the caches. */
export interface ActResult {
  readonly contents?: Partial<Readonly<Record<Side, UnstructuredObject>>>;
  readonly proof?: Proof;
  readonly written?: UnstructuredObject;
  /** Nothing more to do before the next event. */
  readonly wait?: boolean;
}

export interface ActorOptions {
  readonly clients: Readonly<Record<Side, Client>>;
  readonly resource: Resource;
  /** Namespaces of the same name on both sides, by the side that creates them. */
  readonly namespaces: Readonly<Record<Side, ServiceNamespaces>>;
  readonly observe: (side: Side, object: KubeObject) => void;
  /** The current rules of the binding, read live. Undefined: the binding is gone or proves nothing. */
  readonly readRules: (signal: AbortSignal) => Promise<RuleSet | undefined>;
  /** Asks live whether the cluster of that side is still the one that the Connection is pinned to. */
  readonly isSameCluster: (side: Side, signal: AbortSignal) => Promise<boolean>;
}

/** Executes all writes for related objects. Throws every failure as the client's ApiError. */
export class Actor {
  readonly #options: ActorOptions;

  constructor(options: ActorOptions) {
    this.#options = options;
  }

  act(action: Action, key: PairLocation, signal: AbortSignal): Promise<ActResult> {
    switch (action.type) {
      case 'read':
        return this.read(action.sides, key, signal);
      case 'createCopy':
        return this.#create(action, key, signal);
      case 'patchCopy':
        return this.#patch(action, key, signal);
      case 'prove':
        return this.#prove(action.side, key, signal);
      case 'deleteCopy':
        return this.#delete(action, key, signal);
    }
  }

  /** An event is on its way for an object that is cached but gone. */
  async read(sides: readonly Side[], key: PairLocation, signal: AbortSignal): Promise<ActResult> {
    const found = await Promise.all(
      sides.map(async (side) => [side, await this.#readLive(side, key, signal)] as const),
    );
    const contents = found.flatMap(([side, object]) => (object === undefined ? [] : [[side, object] as const]));
    return contents.length < sides.length ? { wait: true } : { contents: Object.fromEntries(contents) };
  }

  async #readLive(side: Side, key: PairLocation, signal: AbortSignal): Promise<UnstructuredObject | undefined> {
    const { clients, resource, observe } = this.#options;
    const object = await getIfExists(clients[side], resource, key, { signal });
    if (object !== undefined) observe(side, object);
    return object;
  }

  async #create(
    { side, copy }: Extract<Action, { type: 'createCopy' }>,
    key: PairLocation,
    signal: AbortSignal,
  ): Promise<ActResult> {
    const { clients, resource, namespaces } = this.#options;
    await namespaces[side].ensure(key.namespace, noOwner, signal);
    try {
      const created = await clients[side].create(resource, copy, { fieldManager: fieldManagers.related, signal });
      return this.#written(side, created);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      // The cache lags behind. The object found there is judged like any other.
      return this.read([side], key, signal);
    }
  }

  async #patch(
    action: Extract<Action, { type: 'patchCopy' }>,
    key: PairLocation,
    signal: AbortSignal,
  ): Promise<ActResult> {
    const { clients, resource } = this.#options;
    const { side } = action;
    const options = { fieldManager: fieldManagers.related, signal };
    return this.#written(side, await clients[side].patch(resource, key, copyPatch(action), options));
  }

  #written(side: Side, written: UnstructuredObject): ActResult {
    this.#options.observe(side, written);
    return { written, contents: { [side]: written } };
  }

  /** Reads the binding first: its rules apply to the state of the original after that. */
  async #prove(side: Side, key: PairLocation, signal: AbortSignal): Promise<ActResult> {
    const from = otherSide(side);
    const rules = await this.#options.readRules(signal);
    if (rules === undefined) return { proof: 'none', wait: true };
    const original = await this.#readLive(from, key, signal);
    if (original === undefined)
      return (await this.#options.isSameCluster(from, signal))
        ? { proof: 'originalGone' }
        : { proof: 'none', wait: true };
    const isUnclear = rules.unclear.includes(from);
    return isUnclear || selects(rules, from, original) ? { proof: 'none', wait: true } : { proof: 'notSelected' };
  }

  async #delete(
    { side, copy }: Extract<Action, { type: 'deleteCopy' }>,
    key: PairLocation,
    signal: AbortSignal,
  ): Promise<ActResult> {
    const { clients, resource } = this.#options;
    const { uid = '', resourceVersion } = copy.metadata;
    try {
      // Delete exactly the object whose marks were read.
      const preconditions = { uid, resourceVersion };
      await clients[side].delete(resource, key, { preconditions, propagationPolicy: 'Background', signal });
    } catch (error) {
      if (!isObjectNotFound(error, resource, key)) throw error;
    }
    return { wait: true };
  }
}

/** Place of a pair, the same on both sides. */
export interface PairLocation {
  readonly namespace: string;
  readonly name: string;
}

/** These namespaces have no owner. */
const noOwner = { apiVersion: 'v1', kind: 'None', name: '', uid: '' };
