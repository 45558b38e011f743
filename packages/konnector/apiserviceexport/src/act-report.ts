import { type ApiError, type KubeObject, commitStatus, isForbidden, messageOf } from '@hawser/client';
import { type ControllerContext, type Failures, createFailures } from '@hawser/controller';
import type { InformerHandle } from '@hawser/informer';
import { canonical, equal } from '@hawser/json';
import type { APIServiceBinding, APIServiceExport, BoundSchema, Condition } from '@hawser/kube-bind';
import type { StatusReport } from './decide-report.js';

export interface ReportActorOptions {
  readonly ctx: ControllerContext<'consumer' | 'provider'>;
  /** Learn what was written at once: the next report may depend on it before a watch event comes. */
  readonly exports: Pick<InformerHandle<APIServiceExport>, 'hasSynced' | 'observe'>;
  readonly schemas: Pick<InformerHandle<BoundSchema>, 'hasSynced' | 'observe'>;
  readonly bindings: Pick<InformerHandle<APIServiceBinding>, 'get'>;
}

/** Result of one report to the provider. */
export interface ReportResult {
  /** A write was made. */
  readonly written: boolean;
  /** Milliseconds until the report may be written; 0: it was written, or cannot be. */
  readonly waitMs: number;
}

/** Result of the reports on BoundSchemas. `failures`: in words. */
export interface SchemasReportResult extends ReportResult {
  readonly failures: readonly string[];
}

const notWritten: ReportResult = { written: false, waitMs: 0 };

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
    this.#contest = createFailures<string>(clock, (text) => text, { effortOf: (text) => text, random });
  }

  /** @throws {ApiError} on any failure except a refusal */
  async reportExport(report: StatusReport<APIServiceExport>, signal: AbortSignal): Promise<ReportResult> {
    try {
      return await this.#write(report, this.#options.exports, signal);
    } catch (error) {
      if (!isForbidden(error)) throw error;
      this.#recordRefusal(report.key, report.object.metadata.name, error);
      return notWritten;
    }
  }

  /** A schema that cannot be written does not stop the others. */
  async reportSchemas(
    reports: readonly StatusReport<BoundSchema>[],
    bindingName: string,
    signal: AbortSignal,
  ): Promise<SchemasReportResult> {
    const { schemas } = this.#options;
    const failures: string[] = [];
    let { written, waitMs } = notWritten;
    for (const report of reports) {
      try {
        const result = await this.#write(report, schemas, signal);
        written ||= result.written;
        waitMs = Math.max(waitMs, result.waitMs);
      } catch (error) {
        if (isForbidden(error)) this.#recordRefusal(report.key, bindingName, error);
        failures.push(messageOf(error));
      }
    }
    return { written, waitMs, failures };
  }

  /** Writes the report, unless another cluster keeps overwriting it: then it backs off for some milliseconds. */
  async #write<T extends KubeObject & { readonly status?: unknown }>(
    { key, resource, object, statusOf }: StatusReport<T>,
    cache: Pick<InformerHandle<T>, 'hasSynced' | 'observe'>,
    signal: AbortSignal,
  ): Promise<ReportResult> {
    const { clock, random, clusters } = this.#options.ctx;
    const mutate = (status: T['status']): ReturnType<typeof statusOf> => statusOf(status, clock.now());
    const text = textOf(statusOf(undefined, 0));
    const waitMs = this.#contest.waits(key, text);
    if (waitMs > 0 && !equal(mutate(object.status), object.status)) return { written: false, waitMs };
    const options = { clock, random, signal };
    const committed = await commitStatus<T>(clusters.provider.client, resource, object, mutate, options);
    this.#refused.delete(key);
    const written = committed !== undefined && committed !== object;
    if (written) this.#contest.succeeded(key, text);
    if (committed !== undefined && cache.hasSynced) cache.observe(committed);
    return { written, waitMs: 0 };
  }

  #recordRefusal(key: string, name: string, error: ApiError): void {
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
