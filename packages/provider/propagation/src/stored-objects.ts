import { type Client, isApiError } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import { type CustomResourceDefinition, type Dialect, storedResource } from '@hawser/kube-bind';
import { type Candidate, checkStored, compileCandidate, createTurns, describeFaults } from '@hawser/schemagate';

/** Selects the provider copies of one consumer. */
export interface StoredObjectsOf {
  /** `<namespace>/<export>` */
  readonly consumer: string;
  readonly clusterNamespace: string;
  /** The namespaces in which the consumer can have copies. */
  readonly namespaces: readonly string[];
  readonly crd: CustomResourceDefinition;
  /** Hash of the schema in the form for the consumer. */
  readonly hash: string;
}

/** `faults`: in sentences. `unread`: unknown. */
export type StoredVerdict =
  | { readonly kind: 'fits' }
  | { readonly kind: 'faults'; readonly message: string }
  | { readonly kind: 'unread'; readonly message: string };

/** Checks consumers' copies against changed schemas. */
export interface StoredObjects {
  /** Reads, unless the last answer is fresh. Rejects only when `signal` aborts. */
  check(asked: StoredObjectsOf, signal: AbortSignal): Promise<StoredVerdict>;
  forget(consumer: string): void;
}

export function createStoredObjects(client: Client, dialect: Dialect, clock: Clock, freshMs: number): StoredObjects {
  const compiled = createCompiler();
  // Otherwise a page of each consumer would be in memory, and a CRD may have any number of consumers.
  const inTurn = createTurns();
  const known = new Map<
    string,
    Map<string, { readonly hash: string; readonly at: number; readonly verdict: StoredVerdict }>
  >();
  return {
    async check(asked, signal) {
      const { consumer, crd, hash } = asked;
      const own =
        known.get(consumer) ??
        new Map<string, { readonly hash: string; readonly at: number; readonly verdict: StoredVerdict }>();
      known.set(consumer, own);
      const last = own.get(crd.metadata.name);
      // Events are frequent, and the objects are not watched. A fitting result is checked once more just before the
      // schema flows.
      if (last?.hash === hash && last.verdict.kind !== 'fits' && clock.monotonic() - last.at < freshMs)
        return last.verdict;
      const verdict = await inTurn(() => {
        signal.throwIfAborted();
        return read(client, dialect, asked, compiled, signal);
      });
      own.set(crd.metadata.name, { hash, at: clock.monotonic(), verdict });
      return verdict;
    },
    forget: (consumer) => {
      known.delete(consumer);
    },
  };
}

/** Compiles a CRD; undefined: it has no version to judge by. */
type Compiler = (crd: CustomResourceDefinition, version: string) => Candidate | undefined;

/**
 * Memoises compilation: a large schema takes longer to compile than most consumers' objects to judge, and all consumers
 * share it.
 */
function createCompiler(): Compiler {
  // Cached objects are replaced when they change, so their identity is a version.
  const known = new WeakMap<CustomResourceDefinition, Map<string, Candidate | undefined>>();
  return (crd, version) => {
    const versions = known.get(crd) ?? new Map<string, Candidate | undefined>();
    known.set(crd, versions);
    if (!versions.has(version)) versions.set(version, compileCandidate(crd.spec, version));
    return versions.get(version);
  };
}

async function read(
  client: Client,
  dialect: Dialect,
  { clusterNamespace, namespaces, crd }: StoredObjectsOf,
  compiled: Compiler,
  signal: AbortSignal,
): Promise<StoredVerdict> {
  const { scope } = crd.spec;
  const resource = storedResource(crd.spec);
  const candidate = resource === undefined ? undefined : compiled(crd, resource.version);
  if (resource === undefined || candidate === undefined) return { kind: 'fits' };
  try {
    const check = await checkStored(client, resource, candidate, {
      namespaces: scope === 'Namespaced' ? namespaces : undefined,
      signal,
      select(object) {
        const named = object.metadata.annotations?.[dialect.annotations.clusterNamespace];
        // In Klutch the namespace identifies a copy's consumer; the copy does not name it.
        return named === undefined ? scope === 'Namespaced' && dialect.isCopy(object) : named === clusterNamespace;
      },
    });
    const message = describeFaults(check);
    return message === undefined ? { kind: 'fits' } : { kind: 'faults', message };
  } catch (error) {
    if (!isApiError(error) || error.code === 'Aborted') throw error;
    return { kind: 'unread', message: error.message };
  }
}
