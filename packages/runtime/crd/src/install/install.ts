import { backoffDelay, type Clock, type Random, sleep } from '@hawser/clock';
import { type Client, isAlreadyExists, isApiError, isNotFound, isTerminating, messageOf } from '@hawser/client';
import { type Logger, silentLogger } from '@hawser/telemetry';
import {
  type CRDCondition,
  type CustomResourceDefinition,
  customResourceDefinitions,
} from '../custom-resource-definition.js';
import { CRDInstallError } from './install-error.js';
import { upgradedVersions } from './upgrade.js';

export interface InstallOptions {
  /** The group of the CRDs: CRDs of other groups are never written. */
  readonly group: string;
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Default Math.random. */
  readonly random?: Random | undefined;
  /** Time limit for one CRD, retries and the wait for `Established` included. Default 60 000 ms. */
  readonly timeoutMs?: number | undefined;
}

/** Outcome for a CRD. `unchanged`: nothing was written. */
export type InstallOutcome = 'created' | 'upgraded' | 'unchanged';

/**
 * Makes sure that each CRD exists, has every version and field of ours, and is established. Resolves to the outcome per
 * CRD name.
 *
 * Only adds to an installed CRD: its metadata, and versions and fields unknown to us, stay. Retries conflicts, overload
 * and an unreachable server until the time is up.
 * @throws {CRDInstallError} the first failure; the other CRDs are finished with by then.
 */
export async function installCRDs(
  client: Client,
  crds: readonly CustomResourceDefinition[],
  options: InstallOptions,
): Promise<ReadonlyMap<string, InstallOutcome>> {
  const results = await Promise.allSettled(crds.map((crd) => new Installation(client, crd, options).run()));
  const outcomes = new Map<string, InstallOutcome>();
  for (const [index, result] of results.entries()) {
    if (result.status === 'rejected') throw result.reason as Error;
    outcomes.set(crds[index]?.metadata.name ?? '', result.value);
  }
  return outcomes;
}

const retryBackoff = { initialMs: 50, capMs: 2000 };

class Installation {
  readonly #client: Client;
  readonly #wanted: CustomResourceDefinition;
  readonly #options: InstallOptions;
  readonly #logger: Logger;
  readonly #deadline: number;
  #outcome: InstallOutcome = 'unchanged';
  #waits = 0;

  constructor(client: Client, wanted: CustomResourceDefinition, options: InstallOptions) {
    this.#client = client;
    this.#wanted = wanted;
    this.#options = options;
    this.#logger = (options.logger ?? silentLogger).child({ crd: wanted.metadata.name });
    this.#deadline = options.clock.monotonic() + (options.timeoutMs ?? 60_000);
  }

  async run(): Promise<InstallOutcome> {
    const { group } = this.#options;
    if (this.#wanted.spec.group !== group)
      throw this.#error('NotOurs', `group ${this.#wanted.spec.group} is not ${group}`);
    for (;;) {
      let installed: CustomResourceDefinition;
      try {
        installed = await this.#ensure();
      } catch (error) {
        if (!isWorthRetrying(error))
          throw error instanceof CRDInstallError ? error : this.#error('Failed', messageOf(error), error);
        this.#logger.debug('installing a CRD is tried again', { error });
        await this.#wait(() => this.#error('Failed', messageOf(error), error));
        continue;
      }
      if (isEstablished(installed)) return this.#outcome;
      await this.#wait(() =>
        this.#error('NotEstablished', `the API server has not established it: ${explain(installed)}`),
      );
    }
  }

  /** Reads once and writes at most once. */
  async #ensure(): Promise<CustomResourceDefinition> {
    const { signal } = this.#options;
    const key = { name: this.#wanted.metadata.name };
    let installed: CustomResourceDefinition;
    try {
      installed = await this.#client.get<CustomResourceDefinition>(customResourceDefinitions, key, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const created = await this.#client.create<CustomResourceDefinition>(customResourceDefinitions, this.#wanted, {
        signal,
      });
      this.#outcome = 'created';
      this.#logger.info('created a CRD');
      return created;
    }
    if (isTerminating(installed)) return installed;
    this.#refuseIncompatible(installed);
    const versions = upgradedVersions(installed, this.#wanted);
    if (versions === undefined) return installed;
    const { uid, resourceVersion } = installed.metadata;
    const patch = { metadata: { uid, resourceVersion }, spec: { versions } };
    const upgraded = await this.#client.patch<CustomResourceDefinition>(
      customResourceDefinitions,
      key,
      { type: 'merge', patch },
      { signal },
    );
    if (this.#outcome === 'unchanged') this.#outcome = 'upgraded';
    this.#logger.info('added to a CRD what it lacked', { versions: versions.map(({ name }) => name) });
    return upgraded;
  }

  #refuseIncompatible(installed: CustomResourceDefinition): void {
    const { spec } = this.#wanted;
    if (installed.spec.scope !== spec.scope) {
      throw this.#error(
        'Incompatible',
        `it is installed with scope ${installed.spec.scope}, not ${spec.scope}; it has to be removed by hand`,
      );
    }
    if (installed.spec.names.kind !== spec.names.kind) {
      throw this.#error(
        'Incompatible',
        `it is installed for kind ${installed.spec.names.kind}, not ${spec.names.kind}; it has to be removed by hand`,
      );
    }
  }

  /** Waits before the next try, or throws when the time is up. */
  async #wait(tooLate: () => CRDInstallError): Promise<void> {
    const { clock, random = Math.random, signal } = this.#options;
    this.#waits++;
    const left = this.#deadline - clock.monotonic();
    if (left <= 0) throw tooLate();
    await sleep(clock, Math.min(left, backoffDelay(retryBackoff, this.#waits, random)), signal);
  }

  #error(code: CRDInstallError['code'], message: string, cause?: unknown): CRDInstallError {
    return new CRDInstallError(code, this.#wanted.metadata.name, message, { cause });
  }
}

/**
 * Whether to retry. AlreadyExists and NotFound: another client created or removed the CRD between two requests of ours.
 */
function isWorthRetrying(error: unknown): boolean {
  return isAlreadyExists(error) || isNotFound(error) || (isApiError(error) && error.retryable);
}

function isEstablished(crd: CustomResourceDefinition): boolean {
  return (
    !isTerminating(crd) && conditionsOf(crd).some(({ type, status }) => type === 'Established' && status === 'True')
  );
}

function conditionsOf(crd: CustomResourceDefinition): readonly CRDCondition[] {
  return crd.status?.conditions ?? [];
}

function explain(crd: CustomResourceDefinition): string {
  if (isTerminating(crd)) return 'the one that is there is being deleted';
  const bad = conditionsOf(crd)
    .filter(({ status }) => status !== 'True')
    .map(({ type, message }) => `${type}: ${message ?? 'no message'}`);
  return bad.length === 0 ? 'it says nothing' : bad.join('; ');
}
