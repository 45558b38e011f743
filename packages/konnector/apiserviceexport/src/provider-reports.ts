import {
  type ApiError,
  type KubeObject,
  type Resource,
  type StatusOf,
  commitStatus,
  getIfExists,
  isForbidden,
  messageOf,
} from '@hawser/client';
import { type ControllerContext, type Failures, WriteBudget, createFailures } from '@hawser/controller';
import type { InformerHandle } from '@hawser/informer';
import { canonical, equal } from '@hawser/json';
import type { SchemaOutcomes, ServedBindings } from '@hawser/konnector-connection';
import {
  type APIServiceBinding,
  type APIServiceExport,
  type BoundSchema,
  type Condition,
  conditionTypes,
  isConditionTrue,
  isOwnedByBinding,
  resources,
} from '@hawser/kube-bind';

import { type ExportFacts, boundSchemaStatus, exportStatus, saysBound } from './export-status.js';
import { type ExportSnapshot, resourceNames } from './plan-syncs.js';

export interface ProviderReportsOptions {
  readonly ctx: ControllerContext<'consumer' | 'provider'>;
  /** The cluster namespace. */
  readonly namespace: string;
  readonly exports: InformerHandle<APIServiceExport>;
  readonly schemas: InformerHandle<BoundSchema>;
  readonly bindings: InformerHandle<APIServiceBinding>;
  readonly served: ServedBindings;
  readonly outcomes: SchemaOutcomes | undefined;
}

/**
 * What the provider is told: the state of each export and of its schemas, and that one is unbound. No change, no request. A provider that does not let itself
 * be told (403) is a Warning, once, and nothing else: objects are synced all the same.
 */
export interface ProviderReports {
  /** Resolves to the milliseconds after which it may be told; 0: it was. */
  report(snapshot: ExportSnapshot, noPlace: string | undefined, signal: AbortSignal): Promise<number>;
  /** A binding has joined the connection, or left it. */
  served(binding: string, change: 'joined' | 'left'): void;
  /** Tells of bindings that have left for good and were not told of yet: a connection ends with its last binding. Never rejects, and waits 3 s at most. */
  tellDepartures(): Promise<void>;
}

/** What came of saying something on an object. `written`: as it then stands; undefined: it is gone, or nothing was said yet. */
interface Said<T> {
  readonly written: T | undefined;
  readonly told: boolean;
  readonly waitMs: number;
}

const DEPARTURE_MS = 3_000;
const WITHOUT_BINDING = { burst: 6, refillMs: 300_000 };

export function createProviderReports(options: ProviderReportsOptions): ProviderReports {
  return new ReportsToProvider(options);
}

class ReportsToProvider implements ProviderReports {
  readonly #options: ProviderReportsOptions;
  /** Bindings that have left, until the provider knows why. */
  readonly #departed = new Set<string>();
  /** Two of us, while one does not know yet that the other has the Lease, may see different things and say so. */
  readonly #budget = new WriteBudget();
  /** By export, since its binding was last here: another cluster with the same kubeconfig that has it bound says the opposite, and each change costs the provider rights that it gives and takes. */
  readonly #withoutBinding = new Map<string, WriteBudget>();
  /** What is told again and again, since another cluster with the same kubeconfig tells something else in the same place, is told ever less often. */
  readonly #contest: Failures<string>;
  /** What was refused, in the server's words. */
  readonly #refused = new Map<string, string>();

  constructor(options: ProviderReportsOptions) {
    const { clock, random } = options.ctx;
    this.#options = options;
    this.#contest = createFailures<string>(clock, (said) => said, { effortOf: (said) => said, random });
  }

  async report(snapshot: ExportSnapshot, noPlace: string | undefined, signal: AbortSignal): Promise<number> {
    const { export: apiExport, binding } = snapshot;
    const { name } = apiExport.metadata;
    const allowance = binding === undefined ? this.#allowanceWithoutBinding(name) : this.#budget;
    const waitMs = allowance.waitMs(name, this.#options.ctx.clock.monotonic());
    if (waitMs > 0) return waitMs;
    const ofSchemas = await this.#reportSchemas(snapshot, signal);
    if (ofSchemas.told) allowance.spend(name, this.#options.ctx.clock.monotonic());
    const unbound = await this.#isUnbound(snapshot, signal);
    const ofExport = await this.#reportExport(
      apiExport,
      { binding, schemaFailure: ofSchemas.failure, noPlace, unbound },
      signal,
    );
    if (ofExport.told) allowance.spend(name, this.#options.ctx.clock.monotonic());
    // The cache may still have a binding that is gone: what has left is forgotten only when it was told of, or is known to have moved.
    if (
      this.#departed.has(name) &&
      ((unbound && ofExport.waitMs === 0) || (await this.#fateOf(name, signal)) === 'stays')
    )
      this.#departed.delete(name);
    return Math.max(ofSchemas.waitMs, ofExport.waitMs);
  }

  served(binding: string, change: 'joined' | 'left'): void {
    if (change === 'left') {
      this.#departed.add(binding);
      return;
    }
    this.#departed.delete(binding);
    this.#withoutBinding.delete(binding);
  }

  async tellDepartures(): Promise<void> {
    const signal = AbortSignal.timeout(DEPARTURE_MS);
    await Promise.all(
      [...this.#departed].map(async (name) => {
        const apiExport = this.#options.exports.get({ namespace: this.#options.namespace, name });
        if (apiExport === undefined) return;
        try {
          if ((await this.#fateOf(name, signal)) === 'gone')
            await this.#reportExport(
              apiExport,
              { binding: undefined, schemaFailure: undefined, unbound: true },
              signal,
            );
        } catch (error) {
          this.#options.ctx.logger.warn('The provider could not be told that an export is unbound', {
            export: name,
            error,
          });
        }
      }),
    );
  }

  /** Read live. A binding that is going still has objects to see to; one that another connection serves stays. */
  async #fateOf(binding: string, signal: AbortSignal): Promise<'gone' | 'going' | 'stays'> {
    const found = await getIfExists<KubeObject>(
      this.#options.ctx.clusters.consumer.client,
      resources.apiServiceBindings,
      { name: binding },
      { representation: 'metadata', signal },
    );
    if (found === undefined) return 'gone';
    return found.metadata.deletionTimestamp === undefined ? 'stays' : 'going';
  }

  /** Whether the binding of an export was there and is gone: as this process has seen it, or as the provider was told by an earlier one. */
  async #isUnbound(
    {
      export: {
        metadata: { name },
        status,
      },
      binding,
      resources: parts,
    }: ExportSnapshot,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (binding !== undefined || this.#options.bindings.get(name) !== undefined) return false;
    // A Go konnector calls exports connected that nobody has bound (spec/konnector.md §7.5): a consumer that had one bound has had its CRD.
    const wasTold =
      saysBound(status) &&
      parts.some(
        ({ schema }) =>
          schema.kind === 'found' && isConditionTrue(schema.schema.status?.conditions, conditionTypes.established),
      );
    return (this.#departed.has(name) || wasTold) && (await this.#fateOf(name, signal)) === 'gone';
  }

  /** Says it on the object, unless another cluster says something else there in turn: then after so many milliseconds. */
  async #say<T extends KubeObject & { readonly status?: unknown }>(
    key: string,
    resource: Resource,
    object: T,
    statusOf: (status: T['status'], now: number) => StatusOf<T>,
    signal: AbortSignal,
  ): Promise<Said<T>> {
    const mutate = (status: T['status']): StatusOf<T> => statusOf(status, this.#options.ctx.clock.now());
    const said = textOf(statusOf(undefined, 0));
    const waitMs = this.#contest.waits(key, said);
    if (waitMs > 0 && !equal(mutate(object.status), object.status)) return { written: undefined, told: false, waitMs };
    const written = await commitStatus<T>(this.#options.ctx.clusters.provider.client, resource, object, mutate, {
      clock: this.#options.ctx.clock,
      random: this.#options.ctx.random,
      signal,
    });
    this.#refused.delete(key);
    const told = written !== undefined && written !== object;
    if (told) this.#contest.succeeded(key, said);
    return { written, told, waitMs: 0 };
  }

  async #reportExport(
    apiExport: APIServiceExport,
    facts: ExportFacts,
    signal: AbortSignal,
  ): Promise<{ readonly told: boolean; readonly waitMs: number }> {
    const { name } = apiExport.metadata;
    try {
      return await this.#say(
        `export/${name}`,
        resources.apiServiceExports,
        apiExport,
        (status, now) => exportStatus(status, facts, now),
        signal,
      );
    } catch (error) {
      if (!isForbidden(error)) throw error;
      this.#tellRefused(`export/${name}`, name, error);
      return { told: false, waitMs: 0 };
    }
  }

  /** Returns what went wrong, in words, whether there was anything to tell, and after how many milliseconds the rest may be told. */
  async #reportSchemas(
    { export: apiExport, binding, resources: parts }: ExportSnapshot,
    signal: AbortSignal,
  ): Promise<{ readonly failure: string | undefined; readonly told: boolean; readonly waitMs: number }> {
    const failures: string[] = [];
    let told = false;
    let waitMs = 0;
    for (const { name, schema, crd } of parts) {
      if (schema.kind === 'unreadable') failures.push(schema.message);
      if (schema.kind !== 'found' || binding === undefined) continue;
      const ours = crd !== undefined && isOwnedByBinding(crd, binding) ? crd : undefined;
      // One of several exports that name a resource has it, and speaks for it.
      if (ours === undefined && this.#isNamedByAnother(apiExport, name)) continue;
      const facts = { crd: ours, answer: this.#options.outcomes?.get(binding.metadata.name, name) };
      try {
        const said = await this.#say(
          `schema/${name}`,
          resources.boundSchemas,
          schema.schema,
          (status, now) => boundSchemaStatus(status, facts, now),
          signal,
        );
        told ||= said.told;
        waitMs = Math.max(waitMs, said.waitMs);
        if (said.written !== undefined && this.#options.schemas.hasSynced) this.#options.schemas.observe(said.written);
      } catch (error) {
        if (isForbidden(error)) this.#tellRefused(`schema/${name}`, binding.metadata.name, error);
        failures.push(messageOf(error));
      }
    }
    return { failure: failures.length === 0 ? undefined : failures.join(' '), told, waitMs };
  }

  #allowanceWithoutBinding(name: string): WriteBudget {
    const known = this.#withoutBinding.get(name) ?? new WriteBudget(WITHOUT_BINDING);
    this.#withoutBinding.set(name, known);
    return known;
  }

  #isNamedByAnother({ metadata: { name } }: APIServiceExport, resource: string): boolean {
    return this.#options.exports
      .list()
      .some(
        (other) =>
          other.metadata.name !== name &&
          this.#options.served.has(other.metadata.name) &&
          resourceNames(other).includes(resource),
      );
  }

  #tellRefused(key: string, name: string, error: ApiError): void {
    const words = error.status?.message ?? error.message;
    if (this.#refused.get(key) === words) return;
    this.#refused.set(key, words);
    this.#options.ctx.logger.warn('The provider does not let its exports be reported on', { export: name, error });
    const binding = this.#options.bindings.get(name);
    if (binding === undefined) return;
    const {
      apiVersion,
      kind,
      metadata: { uid },
    } = binding;
    const message = `${words}. Objects are synced all the same; the provider does not hear how its schemas fare, and may hold back changes of them.`;
    this.#options.ctx.clusters.consumer.events.record(
      { apiVersion, kind, name, uid },
      { type: 'Warning', reason: 'ReportRefusedByProvider', message },
    );
  }
}

/** What a report says, whenever that is. */
function textOf({ conditions = [], ...rest }: { readonly conditions?: readonly Condition[] | undefined }): string {
  return canonical({
    ...rest,
    conditions: conditions.map(({ type, status, reason = '', message = '' }) => [type, status, reason, message]),
  });
}
