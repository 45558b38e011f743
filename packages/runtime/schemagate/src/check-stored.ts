import {
  type Client,
  type ListOptions,
  type Resource,
  type UnstructuredObject,
  isApiError,
  listPages,
  resourceName,
} from '@hawser/client';
import type { JsonObject } from '@hawser/json';
import type { DefinitionSpec } from '@hawser/schemadiff';
import { type Candidate, compileCandidate } from './candidate.js';

export interface StoredObjectFault {
  /** Empty for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
  /** The first reason, without the offending value. */
  readonly message: string;
}

/** Objects with one kind of fault. */
export interface StoredObjectFaults {
  readonly count: number;
  /** The first ones, by namespace and name. */
  readonly first: readonly StoredObjectFault[];
}

/** The effect of a candidate schema on stored objects. */
export interface StoredCheck {
  readonly checked: number;
  /** Objects that could not be created under it. */
  readonly invalid: StoredObjectFaults;
  /** Objects that would lose fields. */
  readonly losing: StoredObjectFaults;
  /**
   * A rule that cannot be evaluated here, or an object too costly to judge: whether objects meet the schema is unknown.
   */
  readonly unsupported: string | undefined;
}

export interface CheckStoredOptions {
  /**
   * Restricts the check to these; absent: all namespaces, or a cluster-scoped resource. An empty list checks nothing.
   */
  readonly namespaces?: readonly string[] | undefined;
  readonly labelSelector?: string | undefined;
  /** Selects the objects that count. Default: all. */
  readonly select?: ((object: UnstructuredObject) => boolean) | undefined;
  /** Default 250, and fewer where objects are large: a page has 8 MiB at most. Only one page is in memory. */
  readonly pageSize?: number | undefined;
  /** Number of faults to name. Default 5. */
  readonly named?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Restarts of a list that expires midway. */
const ATTEMPTS = 4;
/** Objects judged before other work gets a turn; fewer if they take longer than that. */
const STRETCH = 50;
const STRETCH_MS = 10;

/**
 * Judges the stored objects of a resource as if each were created under `candidate` (structural schema, defaults, CEL
 * rules). Reads them page by page. An update of a stored object is forgiven more (ratcheting), but not for ever. Uses
 * the version `resource.version` of `candidate`, or the stored one if that is gone; to check many places, compile it
 * once. Changes nothing.
 * @throws {ApiError} of a list that fails; nothing is concluded then
 * @throws {RangeError} if `candidate` has neither version
 */
export async function checkStored(
  client: Pick<Client, 'list' | 'name'>,
  resource: Resource,
  candidate: DefinitionSpec | Candidate,
  options: CheckStoredOptions = {},
): Promise<StoredCheck> {
  const compiled = 'judge' in candidate ? candidate : compileCandidate(candidate, resource.version);
  if (compiled === undefined)
    throw new RangeError(
      `${resourceName(resource)}: the candidate has no version ${resource.version}, and none that is stored`,
    );
  const namespaces = options.namespaces === undefined ? [undefined] : [...new Set(options.namespaces)].sort();
  let total = new Tally(options.named ?? 5);
  for (const namespace of namespaces)
    total = await checkNamespace(client, resource, compiled, namespace, total, options);
  return total.result();
}

async function checkNamespace(
  client: Pick<Client, 'list' | 'name'>,
  resource: Resource,
  candidate: Candidate,
  namespace: string | undefined,
  before: Tally,
  options: CheckStoredOptions,
): Promise<Tally> {
  const { signal, labelSelector, pageSize = 250 } = options;
  const list: Omit<ListOptions, 'continue'> = { limit: pageSize, signal, namespace, labelSelector };
  for (let attempt = 1; ; attempt += 1) {
    const tally = before.copy();
    try {
      for await (const page of listPages(client, resource, list))
        await checkPage(options.select === undefined ? page : page.filter(options.select), candidate, tally, signal);
      return tally;
    } catch (error) {
      // The snapshot has expired: another one serves as well, but only as a whole.
      if (!isApiError(error) || error.code !== 'Expired' || attempt === ATTEMPTS) throw error;
    }
  }
}

async function checkPage(
  page: readonly UnstructuredObject[],
  candidate: Candidate,
  tally: Tally,
  signal: AbortSignal | undefined,
): Promise<void> {
  let judged = 0;
  let began = performance.now();
  for (const object of page) {
    if (judged === STRETCH || (judged > 0 && performance.now() - began >= STRETCH_MS)) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      judged = 0;
      began = performance.now();
    }
    judged += 1;
    signal?.throwIfAborted();
    const { namespace = '', name } = object.metadata;
    // Only this function uses the page, so judging may change it.
    const { errors, lost, unsupported, unjudged } = candidate.judge(object as unknown as JsonObject);
    tally.add(
      { namespace, name },
      errors,
      lost,
      unsupported ??
        (unjudged === undefined ? undefined : `${namespace === '' ? name : `${namespace}/${name}`}: ${unjudged}`),
    );
  }
}

class Tally {
  readonly #named: number;
  #checked = 0;
  #unsupported: string | undefined;
  #invalid: StoredObjectFaults = { count: 0, first: [] };
  #losing: StoredObjectFaults = { count: 0, first: [] };

  constructor(named: number) {
    this.#named = named;
  }

  copy(): Tally {
    const copy = new Tally(this.#named);
    [copy.#checked, copy.#unsupported, copy.#invalid, copy.#losing] = [
      this.#checked,
      this.#unsupported,
      this.#invalid,
      this.#losing,
    ];
    return copy;
  }

  add(
    object: { readonly namespace: string; readonly name: string },
    errors: readonly string[],
    lost: readonly string[],
    unsupported: string | undefined,
  ): void {
    this.#checked += 1;
    this.#unsupported ??= unsupported;
    const [error] = errors;
    if (error !== undefined) this.#invalid = this.#with(this.#invalid, { ...object, message: error });
    if (lost.length > 0)
      this.#losing = this.#with(this.#losing, {
        ...object,
        message: `would lose ${lost.slice(0, 3).join(', ')}${lost.length > 3 ? ` and ${lost.length - 3} more` : ''}`,
      });
  }

  result(): StoredCheck {
    return { checked: this.#checked, invalid: this.#invalid, losing: this.#losing, unsupported: this.#unsupported };
  }

  #with({ count, first }: StoredObjectFaults, fault: StoredObjectFault): StoredObjectFaults {
    return { count: count + 1, first: first.length < this.#named ? [...first, fault] : first };
  }
}
