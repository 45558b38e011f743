import type { Client, UnstructuredObject } from '@hawser/client';
import type { LogicalCluster } from '@hawser/kcp';
import { type APIExport, resources as kcpResources } from '@hawser/kcp-api';
import { OBJECTS } from './agent-plan.js';
import { CRONTABS, type Item, extrasOf, itemOf } from './item.js';
import { KEPT, TAMPERED } from './meddling.js';

export const EXPORT = 'example.com';
export const BINDING = 'example';

export interface WorkspaceUsersOptions {
  readonly path: string;
  readonly cluster: LogicalCluster;
  readonly client: Client;
  readonly provider: Client;
}

/** The people of one workspace: one binds the export, others have objects. They check their wishes again and again. */
export class WorkspaceUsers {
  readonly path: string;
  cluster: LogicalCluster;
  /** kcp moves the workspace: no user has access. */
  isAway = false;
  readonly #client: Client;
  readonly #provider: Client;
  readonly #wanted = new Map<number, number>();
  /** Objects up to this value may go. */
  readonly #givenUp = new Map<number, number>();
  /** Objects that went, or may have gone, while the agent was not allowed to delete their Secrets here. */
  readonly #secretsLeft = new Set<number>();
  readonly #copiesDeleted = new Set<number>();
  readonly #orphans = new Set<number>();
  readonly #meddled = new Set<string>();
  readonly #everMeddled = new Set<number>();
  /** A restore lost the memory of their Secrets here. */
  readonly #unprovenSecrets = new Set<number>();
  /** The service cluster had lost all of them. Users may delete them before it has them again. */
  readonly #lost = new Set<number>();
  /** Number of API fields that users set. */
  fields = 0;
  #last = 0;
  #wantsBinding = true;
  #acceptsClaims = true;
  #bound = false;
  #busy = false;

  constructor({ path, cluster, client, provider }: WorkspaceUsersOptions) {
    this.path = path;
    this.cluster = cluster;
    this.#client = client;
    this.#provider = provider;
  }

  /** Wanted value of each object; undefined: it shall be gone. */
  wanted(object: number): number | undefined {
    return this.#wanted.get(object);
  }

  /** Whether an object with that value may be deleted. */
  mayGo(object: number, value: number): boolean {
    return !this.#bound || value % TAMPERED <= (this.#givenUp.get(object) ?? 0);
  }

  /** A person has deleted the copy. */
  copyMayGo(object: number): void {
    this.#copiesDeleted.add(object);
  }

  isCopyDeleted(object: number): boolean {
    return this.#copiesDeleted.has(object);
  }

  copyIsGone(object: number): void {
    this.#copiesDeleted.delete(object);
  }

  /**
   * A person has changed the copy, or the Secret here. The change stays until its source changes: the agent carries
   * only news.
   */
  isMeddledWith(object: number, what: 'tamper' | 'tamper-secret'): void {
    this.#meddled.add(`${what} ${object}`);
    this.#everMeddled.add(object);
    if (!this.#acceptsClaims) this.#unprovenSecrets.add(object);
  }

  mayDiffer(object: number, what: 'tamper' | 'tamper-secret'): boolean {
    return this.#meddled.has(`${what} ${object}`);
  }

  /** A restore has brought back a copy of an unwanted object. Nothing proves that it may go. */
  copyMayStay(object: number): void {
    this.#orphans.add(object);
  }

  isOrphan(object: number): boolean {
    return this.#orphans.has(object);
  }

  want(object: number): void {
    this.#wanted.set(object, ++this.#last);
    for (const what of ['tamper', 'tamper-secret']) this.#meddled.delete(`${what} ${object}`);
    this.#secretsLeft.delete(object);
  }

  drop(object: number): void {
    this.#wanted.delete(object);
    this.#givenUp.set(object, this.#last);
    this.#leaveSecrets();
  }

  acceptClaims(accept: boolean): void {
    this.#acceptsClaims = accept;
    // Lets go of what cannot be removed; forgets what people have changed.
    if (!accept) for (const object of this.#everMeddled) this.#unprovenSecrets.add(object);
    this.#leaveSecrets();
  }

  /** Whether the Secret of a deleted object may remain in the workspace. */
  maySecretStay(object: number): boolean {
    return [this.#secretsLeft, this.#unprovenSecrets, this.#lost].some((objects) => objects.has(object));
  }

  bind(): void {
    this.#wantsBinding = true;
  }

  /** Everything goes with the binding; wanted objects are made again later. */
  unbind(): void {
    this.#wantsBinding = false;
    this.#bound = false;
    this.#leaveSecrets();
  }

  #leaveSecrets(): void {
    if (this.#acceptsClaims) return;
    for (let object = 0; object < OBJECTS; object++)
      if (!this.#bound || !this.#wanted.has(object)) this.#secretsLeft.add(object);
  }

  /**
   * The service cluster has an older state again. `lost`: objects that it has lost entirely. Nothing then proves who
   * owns the Secrets of these objects, or Secrets changed by people: the agent leaves them alone, and reports them.
   */
  stateIsOlder(lost: readonly number[]): void {
    for (const object of lost) this.#lost.add(object);
    for (const object of this.#everMeddled) this.#unprovenSecrets.add(object);
  }

  /**
   * kcp has an older state of this workspace again: `objects`. Nothing proves that the copy of an object that it has
   * lost may go. The agent has forgotten Secrets here of an object without a copy. Objects whose deletion had begun are
   * deleted.
   */
  objectsAreOlder(objects: readonly Item[], copies: readonly Item[]): void {
    const own = copies.filter(({ name }) => !name.startsWith(KEPT));
    for (const { object } of own) if (!objects.some((one) => one.object === object)) this.copyMayStay(object);
    for (const { object, terminating } of objects) if (terminating) this.copyMayGo(object);
    this.stateIsOlder(objects.flatMap(({ object }) => (own.some((copy) => copy.object === object) ? [] : [object])));
  }

  /** A new process of the agent cannot know that kcp has an older Secret here than the one that was pushed. */
  secretMayDiffer(object: number): void {
    this.#unprovenSecrets.add(object);
  }

  maySecretDiffer(object: number): boolean {
    return this.#unprovenSecrets.has(object);
  }

  /** Carries out the wishes, as far as possible now. */
  async reapply(): Promise<void> {
    if (this.#busy || this.isAway) return;
    this.#busy = true;
    try {
      await this.#applyBinding();
      if (this.#bound && this.cluster.objects.serves(CRONTABS))
        for (let object = 0; object < OBJECTS; object++) await this.#applyObject(object);
    } catch {
      // Another writer was faster, or it is too early: next time.
    } finally {
      this.#busy = false;
    }
  }

  async #applyBinding(): Promise<void> {
    const current = this.cluster.objects.get(kcpResources.apiBindings, { namespace: '', name: BINDING });
    const terminating = (current?.['metadata'] as { deletionTimestamp?: string } | undefined)?.deletionTimestamp;
    if (!this.#wantsBinding) {
      if (current !== undefined && terminating === undefined)
        await this.#client.delete(kcpResources.apiBindings, { name: BINDING });
      return;
    }
    if (terminating !== undefined) return;
    const { spec } = await this.#provider.get<APIExport>(kcpResources.apiExports, { name: EXPORT });
    const permissionClaims = (spec?.permissionClaims ?? []).map((claim) => ({
      ...claim,
      selector: { matchAll: true },
      state: this.#acceptsClaims ? 'Accepted' : 'Rejected',
    }));
    if (current === undefined) {
      const binding = {
        apiVersion: 'apis.kcp.io/v1alpha2',
        kind: 'APIBinding',
        metadata: { name: BINDING },
        spec: { reference: { export: { path: 'root:provider', name: EXPORT } }, permissionClaims },
      };
      await this.#client.create(kcpResources.apiBindings, binding);
      for (let object = 0; object < OBJECTS; object++) {
        this.#givenUp.set(object, this.#last);
        if (this.#wanted.has(object)) this.want(object);
      }
      this.#bound = true;
      return;
    }
    // An unbinding taken back before the binding was deleted: bound as before.
    this.#bound = true;
    const now = (current['spec'] as { permissionClaims?: readonly { state?: string }[] }).permissionClaims ?? [];
    const states = (claims: readonly { state?: string }[]): string => claims.map(({ state }) => state).join();
    if (states(now) !== states(permissionClaims))
      await this.#client.patch(
        kcpResources.apiBindings,
        { name: BINDING },
        { type: 'merge', patch: { spec: { permissionClaims } } },
      );
  }

  async #applyObject(object: number): Promise<void> {
    const key = { namespace: 'default', name: `object-${object}` };
    const stored = this.cluster.objects.get(CRONTABS, key);
    const current = stored === undefined ? undefined : itemOf(stored);
    const value = this.#wanted.get(object);
    if (current?.terminating === true) return;
    if (value === undefined) {
      if (current !== undefined) await this.#client.delete(CRONTABS, key);
      return;
    }
    const spec = {
      workspace: this.path,
      object,
      value,
      secretName: `connection-${object}`,
      ...extrasOf(this.fields, value),
    };
    if (current === undefined)
      await this.#client.create(CRONTABS, {
        apiVersion: 'example.com/v1',
        kind: 'CronTab',
        metadata: { ...key },
        spec,
      } as UnstructuredObject);
    else if (current.value !== value || current.extras < this.fields)
      await this.#client.patch(CRONTABS, key, { type: 'merge', patch: { spec } });
  }
}
