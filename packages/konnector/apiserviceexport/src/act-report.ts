import { type ApiError, type KubeObject, commitStatus, isForbidden, messageOf } from '@hawser/client';
import { type ControllerContext, type Failures, createFailures } from '@hawser/controller';
import type { InformerHandle } from '@hawser/informer';
import { canonical, equal } from '@hawser/json';
import type { APIServiceBinding, APIServiceExport, BoundSchema, Condition } from '@hawser/kube-bind';
import type { Saying } from './decide-report.js';

export interface ReportActorOptions {
  readonly ctx: ControllerContext<'consumer' | 'provider'>;
  /** Learn what was written at once: the next report may depend on it before a watch event comes. */
  readonly exports: Pick<InformerHandle<APIServiceExport>, 'hasSynced' | 'observe'>;
  readonly schemas: Pick<InformerHandle<BoundSchema>, 'hasSynced' | 'observe'>;
  readonly bindings: Pick<InformerHandle<APIServiceBinding>, 'get'>;
}

/** Result of one report to the provider. */
export interface Said {
  /** A write was made. */
  readonly told: boolean;
  /** Milliseconds until the report may be written; 0: it was written, or cannot be. */
  readonly waitMs: number;
}

/** Result of the reports on BoundSchemas. `failures`: in words. */
export interface SaidOfSchemas extends Said {
  readonly failures: readonly string[];
}

const unsaid: Said = { told: false, waitMs: 0 };

/** The only place that writes reports to the provider. A refused report (403) becomes one Warning on the binding. */
export class ReportActor {
  readonly #options: ReportActorOptions;
  /** Back-off per object for reports that another cluster with the same kubeconfig keeps overwriting. */
  readonly #contest: Failures<string>;
  /** By key: the server's words, and the binding once it exists. It then receives the Warning. */
  readonly #refused = new Map<string, string>();

  constructor(options: ReportActorOptions) {
    const { clock, random } = options.ctx;
    this.#options = options;
    this.#contest = createFailures<string>(clock, (said) => said, { effortOf: (said) => said, random });
  }

  /** @throws {ApiError} on any failure except a refusal */
  async sayExport(saying: Saying<APIServiceExport>, signal: AbortSignal): Promise<Said> {
    try {
      return await this.#say(saying, this.#options.exports, signal);
    } catch (error) {
      if (!isForbidden(error)) throw error;
      this.#tellRefused(saying.key, saying.object.metadata.name, error);
      return unsaid;
    }
  }

  /** A schema that cannot be written does not stop the others. */
  async saySchemas(
    sayings: readonly Saying<BoundSchema>[],
    bindingName: string,
    signal: AbortSignal,
  ): Promise<SaidOfSchemas> {
    const { schemas } = this.#options;
    const failures: string[] = [];
    let { told, waitMs } = unsaid;
    for (const saying of sayings) {
      try {
        const said = await this.#say(saying, schemas, signal);
        told ||= said.told;
        waitMs = Math.max(waitMs, said.waitMs);
      } catch (error) {
        if (isForbidden(error)) this.#tellRefused(saying.key, bindingName, error);
        failures.push(messageOf(error));
      }
    }
    return { told, waitMs, failures };
  }

  /** Writes the report, unless another cluster keeps overwriting it: then it backs off for some milliseconds. */
  async #say<T extends KubeObject & { readonly status?: unknown }>(
    { key, resource, object, statusOf }: Saying<T>,
    cache: Pick<InformerHandle<T>, 'hasSynced' | 'observe'>,
    signal: AbortSignal,
  ): Promise<Said> {
    const { clock, random, clusters } = this.#options.ctx;
    const mutate = (status: T['status']): ReturnType<typeof statusOf> => statusOf(status, clock.now());
    const said = textOf(statusOf(undefined, 0));
    const waitMs = this.#contest.waits(key, said);
    if (waitMs > 0 && !equal(mutate(object.status), object.status))
      return { told: false, waitMs };
    const options = { clock, random, signal };
    const written = await commitStatus<T>(clusters.provider.client, resource, object, mutate, options);
    this.#refused.delete(key);
    const told = written !== undefined && written !== object;
    if (told) this.#contest.succeeded(key, said);
    if (written !== undefined && cache.hasSynced) cache.observe(written);
    return { told, waitMs: 0 };
  }

  #tellRefused(key: string, name: string, error: ApiError): void {
    const { ctx, bindings } = this.#options;
    const words = error.status?.message ?? error.message;
    const binding = bindings.get(name);
    const refused = `${binding?.metadata.uid ?? ''} ${words}`;
    if (this.#refused.get(key) === refused) return;
    this.#refused.set(key, refused);
    ctx.logger.warn('The provider does not let its exports be reported on', { export: name, error });
    if (binding === undefined) return;
    const { apiVersion, kind, metadata } = binding;
    ctx.clusters.consumer.events.record(
      { apiVersion, kind, name, uid: metadata.uid },
      {
        type: 'Warning',
        reason: 'ReportRefusedByProvider',
        message: `${words}. Objects are synced all the same; the provider does not hear how its schemas fare, and may hold back changes of them.`,
      },
    );
  }
}

/** Text of a report without its times. */
function textOf({ conditions = [], ...rest }: { readonly conditions?: readonly Condition[] | undefined }): string {
  return canonical({
    ...rest,
    conditions: conditions.map(({ type, status, reason = '', message = '' }) => [type, status, reason, message]),
  });
}
