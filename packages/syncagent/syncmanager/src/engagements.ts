import { messageOf } from '@hawser/client';
import type { APIExportEndpointSlice } from '@hawser/kcp-api';
import { type Engagement, type Recoveries, createRecoveries, unreadable } from '@hawser/syncagent-sync';
import type { Logger } from '@hawser/telemetry';
import { compareEndpoints } from './endpoints.js';
import { WorkspaceHomes } from './workspace-homes.js';
import { EngagedVirtualWorkspace, type VirtualWorkspaceOptions } from './virtual-workspace.js';

export interface EngagementsOptions extends VirtualWorkspaceOptions {
  /** Called when bindings are known, an endpoint is gone, or a workspace binds, leaves or changes its schema. */
  readonly onChange: () => void;
  /** Called when the readable state of an endpoint changes. */
  readonly onState: () => void;
  /** Called when an engagement ends, before its watches do. */
  readonly onDisengage: (url: string) => void;
  /** Called when the server of an endpoint answers again after an outage. */
  readonly onRecovered: () => void;
}

/** One engagement per endpoint of the slice, and one home among them per workspace. */
export class Engagements {
  readonly #options: EngagementsOptions;
  readonly #logger: Logger;
  readonly #engaged = new Map<string, EngagedVirtualWorkspace>();
  readonly #unusable = new Map<string, string>();
  readonly #homes = new WorkspaceHomes();
  readonly #ending = new AbortController();
  readonly #recoveries: Recoveries;

  constructor(options: EngagementsOptions) {
    this.#options = options;
    this.#logger = options.logger;
    this.#recoveries = createRecoveries(() => {
      options.onRecovered();
    });
  }

  /** Engagements whose workspaces are known. */
  get ready(): readonly EngagedVirtualWorkspace[] {
    return [...this.#engaged.values()].filter(({ workspaces }) => workspaces.hasSynced);
  }

  get size(): number {
    return this.#engaged.size;
  }

  /** Whether engagements exist, all are usable, and their workspaces are known. */
  get complete(): boolean {
    return this.#engaged.size > 0 && this.#unusable.size === 0 && this.ready.length === this.#engaged.size;
  }

  /** Endpoints whose workspaces cannot be read, and why. */
  get unreadable(): readonly string[] {
    return [...this.#engaged.values()].flatMap(({ url, workspaces }) =>
      workspaces.states.flatMap((state) => {
        const error = unreadable(state);
        return error === undefined
          ? []
          : [`Which workspaces have bound the APIExport cannot be read through endpoint ${url}: ${error.message}.`];
      }),
    );
  }

  /** Whether some endpoint shows this logical cluster. */
  shows(cluster: string): boolean {
    return this.#homes.homeOf(cluster) !== undefined;
  }

  isAt(url: string): boolean {
    return this.#engaged.has(url);
  }

  /** Unusable endpoints, and why. */
  get unusable(): readonly string[] {
    return [...this.#unusable].map(([url, why]) => `Endpoint ${url} cannot be used: ${why}.`);
  }

  has(engagement: Engagement): boolean {
    return this.#engaged.get(engagement.url) === engagement;
  }

  /** Engages and disengages to match the slice. Resolves when the removed ones are closed. */
  async follow(slice: APIExportEndpointSlice | undefined): Promise<void> {
    const { add, remove, specificities } = compareEndpoints([...this.#engaged.keys(), ...this.#unusable.keys()], slice);
    for (const [url, specificity] of specificities) this.#homes.setSpecificity(url, specificity);
    for (const url of add) this.#engage(url);
    await Promise.all(remove.map((url) => this.#disengage(url)));
    if (add.length + remove.length > 0) this.#options.onChange();
  }

  async close(): Promise<void> {
    this.#ending.abort();
    this.#recoveries.close();
    await Promise.all([...this.#engaged.values()].map((engagement) => engagement.close()));
    this.#engaged.clear();
  }

  #engage(url: string): void {
    let engagement: EngagedVirtualWorkspace;
    try {
      engagement = new EngagedVirtualWorkspace(url, this.#homes, this.#options);
    } catch (error) {
      // An unusable address does not block the others.
      this.#unusable.set(url, messageOf(error));
      this.#logger.error('An endpoint of the slice cannot be used.', { url, error });
      return;
    }
    this.#engaged.set(url, engagement);
    this.#recoveries.add(url, engagement.recovery);
    this.#logger.info('A virtual workspace is engaged.', { url });
    engagement.workspaces.onChange(() => {
      this.#options.onChange();
    });
    engagement.workspaces.onStateChange(() => {
      this.#options.onState();
    });
    engagement.workspaces.onSchemaChange(() => {
      this.#options.onChange();
    });
    engagement.workspaces.synced(this.#ending.signal).then(
      () => {
        this.#options.onChange();
      },
      () => undefined,
    );
  }

  async #disengage(url: string): Promise<void> {
    this.#unusable.delete(url);
    const engagement = this.#engaged.get(url);
    if (engagement === undefined) return;
    this.#engaged.delete(url);
    this.#recoveries.remove(url);
    this.#options.onDisengage(url);
    this.#homes.leave(url);
    await engagement.close();
    this.#logger.info('A virtual workspace is disengaged: its endpoint has left the slice.', { url });
  }
}
