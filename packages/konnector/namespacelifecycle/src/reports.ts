import type { Cluster, ControllerContext } from '@hawser/controller';
import type { InformerHandle } from '@hawser/informer';
import { type ProviderConnection, tellConditions } from '@hawser/konnector-connection';
import {
  type APIServiceBinding,
  type APIServiceBindingStatus,
  type APIServiceNamespace,
  apiGroup,
  commitStatus,
  hasCondition,
  resources,
  setCondition,
} from '@hawser/kube-bind';
import { NAMESPACES_IN_SYNC, type NamespaceProblem, namespacesInSync } from './problems.js';

/** What is to be said about the APIServiceNamespaces of one connection, on the bindings that use them. */
export class Reports {
  readonly #problems = new Map<string, { readonly problem: NamespaceProblem; readonly exports: readonly string[] }>();

  /** True if there is something new to say. */
  set(request: APIServiceNamespace, problem: NamespaceProblem | undefined): boolean {
    const { name, ownerReferences = [] } = request.metadata;
    if (problem === undefined) return this.#problems.delete(name);
    const before = this.#problems.get(name)?.problem;
    const exports = ownerReferences
      .filter(({ apiVersion, kind }) => kind === 'APIServiceExport' && apiVersion.split('/', 1)[0] === apiGroup)
      .map((owner) => owner.name);
    this.#problems.set(name, { problem, exports });
    return before?.reason !== problem.reason || before.message !== problem.message;
  }

  forget(name: string): boolean {
    return this.#problems.delete(name);
  }

  /** A binding has the name of its export. What belongs to no binding of this connection is told on all of them. */
  of(binding: string, { bindings }: ProviderConnection): readonly NamespaceProblem[] {
    return [...this.#problems]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .filter(([, { exports }]) => exports.includes(binding) || !exports.some((name) => bindings.has(name)))
      .map(([, { problem }]) => problem);
  }
}

/** Writes the condition, if it differs, or was never needed. */
export async function commitProblems(
  consumer: Cluster,
  informer: InformerHandle<APIServiceBinding>,
  binding: APIServiceBinding,
  problems: readonly NamespaceProblem[],
  { clock, random }: ControllerContext,
  signal: AbortSignal,
): Promise<void> {
  if (problems.length === 0 && !hasCondition(binding.status?.conditions, NAMESPACES_IN_SYNC)) return;
  const condition = namespacesInSync(problems);
  const mutate = (status: APIServiceBindingStatus): APIServiceBindingStatus => ({
    ...status,
    conditions: setCondition(status.conditions, condition, clock.now()),
  });
  const written = await commitStatus(consumer.client, resources.apiServiceBindings, binding, mutate, {
    clock,
    random,
    signal,
  });
  if (written === undefined || written === binding) return;
  tellConditions(consumer.events, binding, [condition]);
  informer.observe(written);
}
