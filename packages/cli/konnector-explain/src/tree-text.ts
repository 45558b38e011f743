import { type Finding, type Paint, type Standing, plain, toneOf, worst } from '@hawser/preview';

import { type BindingReport, type ResourceReport, consumerOf } from './report.js';

interface Node {
  readonly text: string;
  readonly children: readonly Node[];
}

/** Connection → binding → export → resources → claims, each with its health. `nowMs`: milliseconds since the epoch. */
export function treeText(reports: readonly BindingReport[], nowMs: number, paint: Paint = plain): string {
  if (reports.length === 0) return 'No API is bound.';
  const connections = new Map<string, BindingReport[]>();
  for (const report of reports) {
    const where =
      report.connection === undefined
        ? `no connection (Secret ${report.secret ?? 'not named'})`
        : `provider ${report.connection.server === '' ? 'unknown' : report.connection.server}, ${consumerOf(report.connection)}`;
    connections.set(where, [...(connections.get(where) ?? []), report]);
  }
  return [...connections]
    .map(([where, bindings]) =>
      render({
        text: `${where}${heartbeat(bindings[0], nowMs, paint)}`,
        // A Connection is the root itself.
        children: bindings.flatMap((binding) =>
          binding.kind === 'Connection' ? binding.findings.map(findingNode) : [bindingNode(binding, paint)],
        ),
      }),
    )
    .join('\n\n');
}

function heartbeat(report: BindingReport | undefined, nowMs: number, paint: Paint): string {
  const connection = report?.connection;
  if (connection === undefined) return '';
  if (connection.isSilent === true)
    return `  ${health('unknown', paint)} heartbeat unknown: the provider cannot be asked`;
  if (connection.lastHeartbeat === undefined) return `  ${health('held', paint)} never a heartbeat`;
  const seconds = Math.max(0, Math.round((nowMs - Date.parse(connection.lastHeartbeat)) / 1_000));
  return `  ${health(connection.alive ? 'inStep' : 'held', paint)} last heartbeat ${seconds} s ago`;
}

function bindingNode(report: BindingReport, paint: Paint): Node {
  const claims = report.claims.map(({ group, resource, standing, reason }): Node => {
    const name = `${resource}${group === '' ? '' : `.${group}`}`;
    const objects = report.claimed.find((claimed) => claimed.name === name)?.objects ?? [];
    return {
      text: `claim ${name}  ${health(worst([standing, ...objects.map((object) => object.standing)]), paint)}${reason === undefined ? '' : `  ${reason}`}${objects.length === 0 ? '' : `  ${count(objects.map((object) => object.standing))}`}`,
      children: [],
    };
  });
  const resources = report.resources.map((resource) => resourceNode(resource, paint));
  const below =
    report.export === undefined
      ? [...resources, ...claims]
      : [
          {
            text: `export ${report.export.name}, isolation ${report.export.isolation}`,
            children: [...resources, ...claims],
          },
        ];
  return {
    text: `${report.kind === 'APIServiceBinding' ? 'binding' : report.kind} ${report.name}  ${health(report.standing, paint)}${report.secret === undefined ? '' : `  Secret ${report.secret}`}`,
    children: [...report.findings.map(findingNode), ...below],
  };
}

function resourceNode({ name, version, isolation, standing, finding, objects }: ResourceReport, paint: Paint): Node {
  const counts = count(objects.map((object) => object.standing));
  const held = [
    ...new Set(
      objects.flatMap((object) =>
        object.standing === 'held' && object.finding !== undefined ? [object.finding.reason] : [],
      ),
    ),
  ];
  const what = `${name}${version === undefined ? '' : ` ${version}`}${isolation === undefined ? '' : `, ${isolation}`}`;
  return {
    text: `resource ${what}  ${health(standing, paint)}${objects.length === 0 ? '' : `  ${counts}${held.length === 0 ? '' : ` (${held.join(', ')})`}`}`,
    children: finding === undefined ? [] : [findingNode(finding)],
  };
}

function findingNode({ reason, message, actor }: Finding): Node {
  return { text: `${reason}: ${message}${actor === 'nobody' ? '' : ` [the ${actor} acts]`}`, children: [] };
}

const COUNTED = {
  inStep: 'in step',
  underWay: 'under way',
  held: 'held',
  unknown: 'unknown',
} as const satisfies Record<Standing, string>;

function count(standings: readonly Standing[]): string {
  const parts = (['inStep', 'underWay', 'held', 'unknown'] as const).flatMap((one) => {
    const number = standings.filter((standing) => standing === one).length;
    return number === 0 ? [] : [`${number} ${COUNTED[one]}`];
  });
  return parts.join(', ');
}

function health(standing: Standing, paint: Paint): string {
  return paint(toneOf(standing), mark(standing));
}

function mark(standing: Standing): string {
  switch (standing) {
    case 'inStep':
      return '[ok]';
    case 'underWay':
      return '[..]';
    case 'held':
      return '[!]';
    case 'unknown':
      return '[?]';
  }
}

function render({ text, children }: Node, prefix = ''): string {
  const lines = children.map((child, at) => {
    const last = at === children.length - 1;
    return `${prefix}${last ? '└─ ' : '├─ '}${render(child, `${prefix}${last ? '   ' : '│  '}`)}`;
  });
  return [text, ...lines].join('\n');
}
