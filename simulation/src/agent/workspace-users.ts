import type { Client, UnstructuredObject } from '@hawser/client';
import type { LogicalCluster } from '@hawser/kcp';
import { type APIExport, resources as kcpResources } from '@hawser/kcp-api';
import { OBJECTS } from './agent-plan.js';
import { CRONTABS, extrasOf, itemOf } from './item.js';
import { TAMPERED } from './meddling.js';

export const EXPORT = 'example.com';
const BINDING = 'example';

export interface WorkspaceUsersOptions {
  readonly path: string;
  readonly cluster: LogicalCluster;
  readonly client: Client;
  readonly provider: Client;
}

/** The people of one workspace: who binds the export, and who has objects. What they want is looked after again and again. */
export class WorkspaceUsers {
  readonly path: string;
  cluster: LogicalCluster;
  /** kcp moves the workspace: nobody gets at it. */
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
  /** What is remembered of their Secrets here was lost with a backup. */
  readonly #unprovenSecrets = new Set<number>();
  /** The service cluster had nothing of them any more. They may be deleted before it has. */
  readonly #lost = new Set<number>();
  /** How many fields the API has that users set. */
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

  /** What is wanted of each object; undefined: that it is gone. */
  wanted(object: number): number | undefined {
    return this.#wanted.get(object);
  }

  /** Whether an object with that value may be deleted. */
  mayGo(object: number, value: number): boolean {
    return !this.#bound || value % TAMPERED <= (this.#givenUp.get(object) ?? 0);
  }

  /** Somebody has deleted the copy. */
  copyMayGo(object: number): void {
    this.#copiesDeleted.add(object);
  }

  isCopyDeleted(object: number): boolean {
    return this.#copiesDeleted.has(object);
  }

  copyIsGone(object: number): void {
    this.#copiesDeleted.delete(object);
  }

  /** Somebody has changed the copy, or the Secret here, which stays so until its source changes: the agent carries what is new. */
  isMeddledWith(object: number, what: 'tamper' | 'tamper-secret'): void {
    this.#meddled.add(`${what} ${object}`);
    this.#everMeddled.add(object);
    if (!this.#acceptsClaims) this.#unprovenSecrets.add(object);
  }

  mayDiffer(object: number, what: 'tamper' | 'tamper-secret'): boolean {
    return this.#meddled.has(`${what} ${object}`);
  }

  /** A copy of what is not wanted has come back with a backup. Nobody can prove that it may go. */
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
    // What cannot be removed is let go of; and what people have changed is not known again.
    if (!accept) for (const object of this.#everMeddled) this.#unprovenSecrets.add(object);
    this.#leaveSecrets();
  }

  /** Whether the Secret of an object that is gone may still be in the workspace. */
  maySecretStay(object: number): boolean {
    return [this.#secretsLeft, this.#unprovenSecrets, this.#lost].some((objects) => objects.has(object));
  }

  bind(): void {
    this.#wantsBinding = true;
  }

  /** Everything goes with the binding; what is still wanted is made again later. */
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
   * The service cluster has an older state again. `lost`: objects of which it has nothing any more. Nobody can prove then whose the Secrets of these are, nor those that people have
   * changed: the agent leaves them alone, and tells.
   */
  stateIsOlder(lost: readonly number[]): void {
    for (const object of lost) this.#lost.add(object);
    for (const object of this.#everMeddled) this.#unprovenSecrets.add(object);
  }

  maySecretDiffer(object: number): boolean {
    return this.#unprovenSecrets.has(object);
  }

  /** Makes it so, as far as that is possible now. */
  async reapply(): Promise<void> {
    if (this.#busy || this.isAway) return;
    this.#busy = true;
    try {
      await this.#applyBinding();
      if (this.#bound && this.cluster.objects.serves(CRONTABS))
        for (let object = 0; object < OBJECTS; object++) await this.#applyObject(object);
    } catch {
      // Somebody else was faster, or it cannot be done yet: next time.
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
    // Who took it back before the binding was deleted is bound as before.
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
