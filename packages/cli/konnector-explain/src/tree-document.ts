import type { Standing } from '@hawser/preview';

import type { BindingReport, ClaimReport, ResourceReport } from './report.js';

/** What {@link treeText} draws, for programs. */
export interface TreeDocument {
  readonly connections: readonly ConnectionTree[];
}

export interface ConnectionTree {
  /** Undefined: there is none. */
  readonly provider: BindingReport['connection'];
  readonly bindings: readonly BindingTree[];
}

export interface BindingTree extends Pick<
  BindingReport,
  'kind' | 'name' | 'standing' | 'secret' | 'findings' | 'export'
> {
  readonly resources: readonly ResourceTree[];
  readonly claims: readonly (ClaimReport & { readonly objects: ObjectCounts })[];
}

export interface ResourceTree extends Pick<ResourceReport, 'name' | 'version' | 'isolation' | 'standing' | 'finding'> {
  readonly objects: ObjectCounts;
}

/** Number of objects per standing. */
export type ObjectCounts = Readonly<Record<Standing, number>>;

/** Connection → binding → resources and claims. Pure. */
export function treeDocument(reports: readonly BindingReport[]): TreeDocument {
  const byConnection = Map.groupBy(reports, ({ connection, secret }) =>
    JSON.stringify(
      connection === undefined ? [secret] : [connection.server, connection.clusterNamespace, connection.name],
    ),
  );
  return {
    connections: [...byConnection.values()].map((some) => ({
      provider: some[0]?.connection,
      bindings: some.map(bindingTree),
    })),
  };
}

function bindingTree(report: BindingReport): BindingTree {
  const { kind, name, standing, secret, findings, export: granted, resources, claims, claimed } = report;
  return {
    kind,
    name,
    standing,
    secret,
    findings,
    export: granted,
    resources: resources.map(({ name: resource, version, isolation, standing: stands, finding, objects }) => ({
      name: resource,
      version,
      isolation,
      standing: stands,
      finding,
      objects: count(objects),
    })),
    claims: claims.map((claim) => {
      const whole = `${claim.resource}${claim.group === '' ? '' : `.${claim.group}`}`;
      return { ...claim, objects: count(claimed.find((one) => one.name === whole)?.objects ?? []) };
    }),
  };
}

function count(objects: ResourceReport['objects']): ObjectCounts {
  const counts = { inStep: 0, underWay: 0, held: 0, unknown: 0 };
  for (const { standing } of objects) counts[standing]++;
  return counts;
}
