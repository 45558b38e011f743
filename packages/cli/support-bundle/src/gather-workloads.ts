import type { Resource, UnstructuredObject } from '@hawser/client';
import { isFields } from '@hawser/json';
import { fixedNames, resources } from '@hawser/kube-bind';

import { segment } from './bundle.js';
import { commandLine } from './command-line.js';
import type { Reader } from './reader.js';
import { LEFT_OUT, type Shape, fields, word } from './shape.js';
import { deployment, pod } from './shapes/kubernetes.js';
import { withoutSecrets } from './without-secrets.js';

export interface WorkloadOptions {
  /** Flags whose values are kept. */
  readonly knownFlags: ReadonlySet<string>;
  /** Number of last lines of each log; 0: none. */
  readonly logLines: number;
  /** Contents of a config file, without secrets. May throw. */
  readonly describeConfig: (text: string) => unknown;
}

const apps: Resource = { group: 'apps', version: 'v1', resource: 'deployments' };
const pods: Resource = { group: '', version: 'v1', resource: 'pods' };

/** Label that our charts set on their objects. */
const CHARTS = 'app.kubernetes.io/name in (konnector,provider,syncagent)';
/** Names of programs of the roles, ours and those in Go. */
const PROGRAM = /hawser|konnector|kube-bind|api-syncagent|example-backend/u;
const MOST_LOG_BYTES = 2 * 1_024 * 1_024;

interface Container {
  readonly name: string;
  /** Port of its metrics. */
  readonly port: number | undefined;
}

interface FoundPod {
  readonly namespace: string;
  readonly name: string;
  readonly containers: readonly Container[];
  /** Containers with a log of the previous process. */
  readonly restarted: ReadonlySet<string>;
}

/** Gathers Deployments and pods of the roles, with config, logs and metrics. */
export async function gatherWorkloads(reader: Reader, folder: string, options: WorkloadOptions): Promise<void> {
  const { bundle } = reader.options;
  const argumentsOf = commandLine(options.knownFlags);
  const foundIn = new Set<string>();
  const collect = async (resource: Resource, shape: Shape, found: (object: UnstructuredObject) => void) => {
    const where = (object: UnstructuredObject): boolean => {
      const wanted = programsOf(object).length > 0;
      if (wanted) found(object);
      return wanted;
    };
    const listed = await reader.listPermitted(resource, shape, { labelSelector: CHARTS, where });
    // The programs in Go have other labels.
    const known = new Set([...reader.options.namespaces, fixedNames.konnectorNamespace, ...foundIn]);
    const items = [...(listed?.items ?? [])];
    for (const namespace of known)
      items.push(
        ...((
          await reader.list(resource, shape, {
            namespace,
            where: (object) => !isLabelled(object) && where(object),
          })
        )?.items ?? []),
      );
    if (items.length > 0)
      bundle.addJson(
        `${folder}/${resource.resource}.json`,
        `${items.length} ${resource.resource} of roles`,
        items,
        listed?.incomplete,
      );
  };
  await collect(apps, deployment(argumentsOf), ({ metadata: { namespace } }) => {
    if (namespace !== undefined) foundIn.add(namespace);
  });
  const found: FoundPod[] = [];
  await collect(pods, pod(argumentsOf), (object) => {
    const { namespace, name } = object.metadata;
    if (namespace === undefined) return;
    foundIn.add(namespace);
    found.push({ namespace, name, containers: programsOf(object), restarted: restartedIn(object) });
  });
  for (const namespace of foundIn) await gatherConfig(reader, folder, namespace, options);
  for (const one of found) {
    if (options.logLines > 0) await gatherLogs(reader, folder, one, options.logLines);
    await gatherMetrics(reader, folder, one);
  }
}

function isLabelled({ metadata: { labels = {} } }: UnstructuredObject): boolean {
  return ['konnector', 'provider', 'syncagent'].includes(labels['app.kubernetes.io/name'] ?? '');
}

/** The containers that run a role, in a pod or a pod template. */
function programsOf({ spec }: UnstructuredObject): readonly Container[] {
  const template = isFields(spec) ? spec['template'] : undefined;
  const podSpec = isFields(template) ? template['spec'] : spec;
  const containers: unknown = isFields(podSpec) ? podSpec['containers'] : undefined;
  if (!Array.isArray(containers)) return [];
  return containers.filter(isFields).flatMap(({ name, image, command, ports }) => {
    const program = [String(image).split('/').at(-1), Array.isArray(command) ? (command[0] as unknown) : undefined];
    if (typeof name !== 'string' || !program.some((part) => PROGRAM.test(String(part)))) return [];
    const known = (Array.isArray(ports) ? ports : []).filter(isFields);
    const port = known.find((one) => ['metrics', 'health', 'http'].includes(String(one['name'])))?.['containerPort'];
    return [{ name, port: typeof port === 'number' ? port : undefined }];
  });
}

function restartedIn({ status }: UnstructuredObject): ReadonlySet<string> {
  const statuses: unknown = isFields(status) ? status['containerStatuses'] : undefined;
  return new Set(
    (Array.isArray(statuses) ? statuses : [])
      .filter(isFields)
      .flatMap(({ name, restartCount }) =>
        typeof name === 'string' && typeof restartCount === 'number' && restartCount > 0 ? [name] : [],
      ),
  );
}

/** The config files of the charts. */
async function gatherConfig(
  reader: Reader,
  folder: string,
  namespace: string,
  { describeConfig }: WorkloadOptions,
): Promise<void> {
  const described: Shape = (object) => {
    const data = isFields(object) ? object['data'] : undefined;
    const text = isFields(data) ? data['config.yaml'] : undefined;
    if (typeof text !== 'string') return undefined;
    try {
      return describeConfig(text);
    } catch {
      // The error may quote the file.
      return `${LEFT_OUT}: this version of hawser cannot read it; see hawser config check`;
    }
  };
  const listed = await reader.list(
    resources.configMaps,
    (object) => ({
      ...(fields({ metadata: fields({ namespace: word, name: word }) })(object) as object),
      config: described(object),
    }),
    {
      namespace,
      labelSelector: CHARTS,
      where: ({ data }) => isFields(data) && 'config.yaml' in data,
    },
  );
  if (listed !== undefined && listed.items.length > 0)
    reader.options.bundle.addJson(
      `${folder}/config-${segment(namespace)}.json`,
      'effective config of roles that run in the cluster, defaults included',
      listed.items,
    );
}

async function gatherLogs(
  reader: Reader,
  folder: string,
  { namespace, name, containers, restarted }: FoundPod,
  lines: number,
): Promise<void> {
  for (const { name: container } of containers)
    for (const previous of restarted.has(container) ? [false, true] : [false]) {
      const query = new URLSearchParams({
        container,
        tailLines: String(lines),
        limitBytes: String(MOST_LOG_BYTES),
        timestamps: 'true',
        ...(previous ? { previous: 'true' } : {}),
      });
      const path = `${podPath(namespace, name)}/log?${query.toString()}`;
      const what = `log of container ${container} of pod ${namespace}/${name}${previous ? ' before it restarted' : ''}`;
      const text = await reader.raw(path, what);
      if (text === undefined) continue;
      // The client parses a single JSON line as JSON.
      const log = typeof text === 'string' ? text : JSON.stringify(text);
      reader.options.bundle.add(
        `${folder}/logs/${segment(namespace)}/${segment(`${name}.${container}`)}${previous ? '.previous' : ''}.log`,
        what,
        withoutSecrets(log.slice(0, MOST_LOG_BYTES)),
        `At most the last ${lines} lines, and ${MOST_LOG_BYTES} bytes.`,
      );
    }
}

/** Names of metrics of ours, or of Node. */
const METRIC = /^(?:hawser_|process_|nodejs_)/u;

async function gatherMetrics(reader: Reader, folder: string, { namespace, name, containers }: FoundPod): Promise<void> {
  for (const { name: container, port } of containers) {
    if (port === undefined) continue;
    const path = `${podPath(namespace, `${name}:${port}`)}/proxy/metrics`;
    const what = `metrics of container ${container} of pod ${namespace}/${name}`;
    const text = await reader.raw(path, what);
    if (typeof text !== 'string') continue;
    reader.options.bundle.add(
      `${folder}/metrics/${segment(namespace)}/${segment(`${name}.${container}`)}.txt`,
      what,
      withoutSecrets(
        text
          .slice(0, MOST_LOG_BYTES)
          .split('\n')
          .filter((line) => METRIC.test(line))
          .join('\n'),
      ),
    );
  }
}

function podPath(namespace: string, name: string): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name).replaceAll('%3A', ':')}`;
}
