import { isApiError } from '@hawser/client';
import type { ServedBindings } from '@hawser/konnector-connection';
import { type APIServiceNamespace, apiGroup } from '@hawser/kube-bind';
import type { Decision } from './decide.js';
import { requestKey } from './keys.js';
import type { Observed } from './observed.js';
import type { NamespaceProblem } from './problems.js';

/** Reports about the APIServiceNamespaces of one connection, per binding that uses them. */
export class Reports {
  readonly #bindings: ServedBindings;
  readonly #changed: (binding: string) => void;
  readonly #problems = new Map<string, { readonly problem: NamespaceProblem; readonly exports: readonly string[] }>();
  /** Not processed since the start: the former report stays until then. */
  readonly #unseen = new Set<string>();

  /** `changed` is called for each binding whose report may have changed. */
  constructor(bindings: ServedBindings, changed: (binding: string) => void) {
    this.#bindings = bindings;
    this.#changed = changed;
  }

  /** Blocks reports until each of these was processed. Returns their keys. */
  begin(requests: readonly APIServiceNamespace[]): readonly string[] {
    return requests.map(({ metadata }) => {
      this.#unseen.add(metadata.name);
      return requestKey(metadata.name);
    });
  }

  follow(observed: Observed, { report }: Decision): void {
    if (observed.kind === 'gone') this.#update(observed.name, this.#problems.delete(observed.name));
    if (observed.kind === 'request' && report !== undefined) this.report(observed.request, report.problem);
  }

  report(request: APIServiceNamespace, problem: NamespaceProblem | undefined): void {
    this.#update(request.metadata.name, this.#set(request, problem));
  }

  /** Reports a failure and rethrows it. A conflict needs no report: the key is processed again. */
  async attempt<T>(
    request: APIServiceNamespace,
    problem: (name: string, error: string) => NamespaceProblem,
    run: () => Promise<T>,
  ): Promise<T> {
    try {
      return await run();
    } catch (error) {
      if (isApiError(error) && error.code !== 'Aborted' && error.code !== 'Conflict')
        this.report(request, problem(request.metadata.name, error.message));
      throw error;
    }
  }

  /** Requests that found no room. */
  get limited(): readonly string[] {
    return [...this.#problems].flatMap(([name, { problem }]) => (problem.reason === 'TooManyNamespaces' ? [name] : []));
  }

  /**
   * Problems of one binding; it has the name of its export. Problems without a binding of this connection appear on
   * all. Undefined: not everything was processed yet.
   */
  of(binding: string): readonly NamespaceProblem[] | undefined {
    if (this.#unseen.size > 0) return undefined;
    return [...this.#problems]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .filter(
        ([, { exports }]) => exports.includes(binding) || !exports.some((exported) => this.#bindings.has(exported)),
      )
      .map(([, { problem }]) => problem);
  }

  #update(name: string, isNews: boolean): void {
    const wasLast = this.#unseen.delete(name) && this.#unseen.size === 0;
    if (isNews || wasLast) for (const binding of this.#bindings.names()) this.#changed(binding);
  }

  /** True if the report has changed. */
  #set(request: APIServiceNamespace, problem: NamespaceProblem | undefined): boolean {
    const { name, ownerReferences = [] } = request.metadata;
    if (problem === undefined) return this.#problems.delete(name);
    const before = this.#problems.get(name)?.problem;
    const exports = ownerReferences
      .filter(({ apiVersion, kind }) => kind === 'APIServiceExport' && apiVersion.split('/', 1)[0] === apiGroup)
      .map((owner) => owner.name);
    this.#problems.set(name, { problem, exports });
    return before?.reason !== problem.reason || before.message !== problem.message;
  }
}
