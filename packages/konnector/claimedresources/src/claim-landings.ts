import type { Resource } from '@hawser/client';
import type { SharedInformers } from '@hawser/informer';
import { type CustomResourceDefinition, resourceGroupName } from '@hawser/kube-bind';
import type { NamedWatches } from '@hawser/konnector-connection';

import { type Landing, type LandingNamespaces, boundResource, createLandingNamespaces, landingsOf } from './landing.js';
import type { BoundExport } from './plan-claims.js';

export interface ClaimLandingsOptions {
  /** Informers of the consumer. */
  readonly informers: SharedInformers;
  readonly crds: NamedWatches<CustomResourceDefinition>;
  /** Called for a namespace that may have opened; without one when more is known of all. */
  readonly changed: (namespace: string | undefined) => void;
}

/** Consumer namespaces open to the claims of a connection: bound objects open namespaces, and so do operators. */
export class ClaimLandings {
  readonly #options: ClaimLandingsOptions;
  #namespaces: LandingNamespaces | undefined;
  /** By binding: namespaces that its operator has opened. */
  #opened: ReadonlyMap<string, readonly string[]> = new Map();

  constructor(options: ClaimLandingsOptions) {
    this.#options = options;
  }

  get opened(): ReadonlyMap<string, readonly string[]> {
    return this.#opened;
  }

  /** Replaces the namespaces that the operators of these bindings have opened. */
  open(bindings: readonly BoundExport[]): void {
    this.#opened = new Map(bindings.map(({ name, binding }) => [name, landingsOf(binding)]));
  }

  /** Replaces the bound resources, if namespaces are watched. */
  bind(bindings: readonly BoundExport[]): void {
    this.#namespaces?.set(this.#boundBy(bindings));
  }

  /** Starts watching namespaces for the provider of that identity. Idempotent. */
  watch(provider: string, bindings: readonly BoundExport[]): void {
    if (this.#namespaces !== undefined) return;
    this.#namespaces = createLandingNamespaces(this.#options.informers, provider, this.#options.changed);
    this.bind(bindings);
  }

  /** Whether claims of these bindings may put an object into a consumer namespace. */
  of(namespace: string, bindings: readonly string[]): Landing {
    if (bindings.some((name) => this.#opened.get(name)?.some((one) => one === '*' || one === namespace) === true))
      return 'open';
    return this.#namespaces?.of(namespace) ?? 'unknown';
  }

  /** Stops watching namespaces. */
  close(): void {
    this.#namespaces?.close();
    this.#namespaces = undefined;
  }

  /** The consumer's resources bound by these bindings. */
  #boundBy(bindings: readonly BoundExport[]): readonly Resource[] {
    return bindings.flatMap(({ binding, apiExport }) =>
      apiExport.spec.resources.flatMap((resource) => {
        const reading = this.#options.crds.read({ name: resourceGroupName(resource) });
        const found = reading.kind === 'found' ? boundResource(reading.object, binding) : undefined;
        return found === undefined ? [] : [found];
      }),
    );
  }
}
