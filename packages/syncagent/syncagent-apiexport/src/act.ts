import { type Client, isApiError } from '@hawser/client';
import { type APIExport, resources } from '@hawser/kcp-api';
import type { StatusWriter } from '@hawser/publication';
import type { Clock } from '@hawser/clock';
import type { Caches } from './caches.js';
import type { ExportChange } from './decide.js';
import type { Action } from './decide-look.js';
import type { Observed } from './observe.js';
import type { Refusals } from './refusals.js';
import { everywhere, refusalMessage, statusChange } from './report.js';
import type { LastReports } from './last-reports.js';

type ActionOf<Type extends Action['type']> = Extract<Action, { readonly type: Type }>;

export interface ActorPorts {
  /** Client of the provider workspace. */
  readonly client: Client;
  readonly clock: Clock;
  readonly caches: Caches;
  readonly writer: StatusWriter;
  readonly refusals: Refusals;
  readonly reports: LastReports;
}

/** The only place that writes. */
export class Actor {
  readonly #ports: ActorPorts;

  constructor(ports: ActorPorts) {
    this.#ports = ports;
  }

  async act(action: Action, signal: AbortSignal, observed: Observed): Promise<void> {
    switch (action.type) {
      case 'writeExport':
        try {
          await this.#writeExport(action, signal);
        } catch (error) {
          if (!isRefusal(error) || observed.kind !== 'export') throw error;
          this.#refused(action, error, observed);
        }
        return;
      case 'writeStatus': {
        const { writer, clock } = this.#ports;
        await writer.commit(action.object, statusChange(action.report, clock.now()), signal);
      }
    }
  }

  async #writeExport({ current, change }: ActionOf<'writeExport'>, signal: AbortSignal): Promise<void> {
    const { exports } = this.#ports.caches;
    const written = await writeExport(this.#ports.client, current, change, signal);
    exports.observe(written);
    const { addedClaims, addedSchemas, removedSchemas } = change;
    const record = (type: 'Normal' | 'Warning', reason: string, words: string, names: readonly string[]): void => {
      if (names.length > 0) exports.recordEvent(written, { type, reason, message: `${words} ${names.join(', ')}.` });
    };
    record('Normal', 'AddingPermissionClaims', 'Added the permission claims', addedClaims);
    record('Normal', 'AddingResourceSchemas', 'Added the schemas', addedSchemas);
    record('Warning', 'RemovingResourceSchemas', 'Replaced the schemas', removedSchemas);
  }

  /**
   * Handles a refusal of several contributions: each is tried alone. A refusal without contributions is the fault of
   * none.
   */
  #refused(
    { of }: ActionOf<'writeExport'>,
    error: Error,
    { agent, contributions }: Extract<Observed, { readonly kind: 'export' }>,
  ): void {
    const { clock, refusals, reports } = this.#ports;
    const message = refusalMessage(agent.exportName, error);
    switch (of) {
      case 'all':
        refusals.tryOneByOne();
        return;
      case 'none':
        refusals.tryTogether();
        reports.set(everywhere(contributions, { kind: 'failed', reason: 'APIExportRefused', message }));
        throw error;
      default:
        refusals.add(of, message, clock.monotonic());
    }
  }
}

/** Writes a change to the version of the export that it was made for. */
function writeExport(
  client: Client,
  current: APIExport,
  { annotations, resources: entries, claims }: ExportChange,
  signal: AbortSignal,
): Promise<APIExport> {
  const { name, uid, resourceVersion } = current.metadata;
  const spec = {
    ...(entries === undefined ? {} : { resources: entries }),
    ...(claims === undefined ? {} : { permissionClaims: claims }),
  };
  const patch = {
    metadata: { uid, resourceVersion, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) },
    ...(Object.keys(spec).length === 0 ? {} : { spec }),
  };
  return client.patch<APIExport>(resources.apiExports, { name }, { type: 'merge', patch }, { signal });
}

/** Whether kcp refused the content, as opposed to being unavailable. */
function isRefusal(error: unknown): error is Error {
  return isApiError(error, 'Forbidden', 'Invalid', 'BadRequest');
}
