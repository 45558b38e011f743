import { isApiError } from '@hawser/client';
import {
  type BindingReport,
  type ExplainContext,
  type Examination,
  type ReachedProvider,
  type ResourceReport,
  examinationText,
  examineAll,
} from '@hawser/konnector-explain';
import { type Dialect, resources } from '@hawser/kube-bind';
import type { Finding } from '@hawser/preview';
import type { ConnectionConfig } from '@hawser/kubeconfig';

import { secretsOf } from './secrets-of.js';
import { type Reader, createReader } from './reader.js';
import { address, prose, word } from './shape.js';
import { kubeBindShapes } from './shapes/kube-bind.js';

/** The consumer as `hawser doctor` examines it. */
export type ConsumerContext = ExplainContext & { readonly dialect: Dialect };

/**
 * Gathers the findings of `hawser doctor`, how many objects are in step, and the view that each provider gives this
 * consumer.
 */
export async function gatherConsumer(reader: Reader, folder: string, context: ConsumerContext): Promise<void> {
  const { bundle } = reader.options;
  // Credentials from a Secret count as secrets as soon as they are known.
  const connect = (config: ConnectionConfig): ReturnType<ExplainContext['connect']> => {
    for (const secret of secretsOf(config)) bundle.addSecret(secret);
    return context.connect(config);
  };
  try {
    const { examinations, reports, providers } = await examineAll(
      { ...context, connect },
      { namespace: context.dialect.names.konnectorNamespace },
    );
    const texts = examinations.map(examinationOf);
    bundle.add(`${folder}/doctor.txt`, 'what `hawser doctor` finds', `${examinationText(texts)}\n`);
    bundle.addJson(`${folder}/doctor.json`, 'the same, for programs', texts);
    bundle.addJson(
      `${folder}/objects.json`,
      'how bindings, resources and claims stand; objects are counted, and those not in step named',
      reports.map(reportOf),
    );
    for (const [index, provider] of providers.entries())
      await gatherSeenAtProvider(reader, `${folder}/provider-${index + 1}`, provider);
  } catch (error) {
    reader.failed('hawser doctor: findings, counts of objects, and what the providers show', error);
  }
}

function examinationOf({ area, subject, state, message, actor, remedy }: Examination): Examination {
  return {
    area,
    subject: text(subject),
    state,
    message: text(message),
    ...(actor === undefined ? {} : { actor }),
    ...(remedy === undefined ? {} : { remedy: text(remedy) }),
  };
}

const text = (value: string): string => String(prose(value));

/** For users' objects: their number, and name and reason of those not in step. */
const NAMED = 100;

function resourceOf({ name, namespaced, version, isolation, standing, finding, objects }: ResourceReport): object {
  const reasons = new Map<string, number>();
  const rest = objects.filter((object) => object.standing !== 'inStep');
  for (const object of rest) {
    const reason = `${object.standing}: ${object.finding?.reason ?? 'unknown'}`;
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  return {
    name: word(name),
    namespaced,
    version: word(version),
    isolation: word(isolation),
    standing,
    finding: findingOf(finding),
    objects: objects.length,
    inStep: objects.length - rest.length,
    notInStep: Object.fromEntries(reasons),
    firstNotInStep: rest.slice(0, NAMED).map((object) => ({
      kind: word(object.kind),
      object: word(object.object),
      copy: word(object.copy),
      standing: object.standing,
      reason: word(object.finding?.reason),
      since: word(object.finding?.since),
    })),
  };
}

function findingOf(finding: Finding | undefined): object | undefined {
  if (finding === undefined) return undefined;
  const { reason, message, actor, since, condition } = finding;
  return { reason: word(reason), message: prose(message), actor, since: word(since), condition: word(condition) };
}

function reportOf(report: BindingReport): object {
  const { connection } = report;
  return {
    kind: word(report.kind),
    binding: word(report.name),
    standing: report.standing,
    findings: report.findings.map(findingOf),
    secret: word(report.secret),
    connection:
      connection === undefined
        ? undefined
        : {
            server: address(connection.server),
            clusterNamespace: word(connection.clusterNamespace),
            lastHeartbeat: word(connection.lastHeartbeat),
            alive: connection.alive,
            isSilent: connection.isSilent,
          },
    export: report.export,
    resources: report.resources.map(resourceOf),
    claims: report.claims.map(({ group, resource, standing, reason }) => ({
      group: word(group),
      resource: word(resource),
      standing,
      reason: word(reason),
    })),
    claimed: report.claimed.map(resourceOf),
  };
}

const seenAtProvider = [
  resources.clusterBindings,
  resources.apiServiceExports,
  resources.apiServiceExportRequests,
  resources.apiServiceNamespaces,
  resources.boundSchemas,
];

/** What the consumer's credential may read of its cluster namespace. */
async function gatherSeenAtProvider(
  reader: Reader,
  folder: string,
  { client, server, clusterNamespace }: ReachedProvider,
): Promise<void> {
  const name = `${String(address(server))} seen by the consumer`;
  const seen = createReader(name, client, { ...reader.options, namespaces: [] });
  const { bundle, signal, timeoutMs } = reader.options;
  try {
    await client.raw('GET', '/version', undefined, { signal, timeoutMs });
  } catch (error) {
    seen.failed('get /version: nothing else was read with this credential', error);
    if (!isApiError(error, 'Forbidden', 'NotFound')) return;
  }
  for (const resource of seenAtProvider) {
    const shape = kubeBindShapes[resource.resource];
    const listed = shape === undefined ? undefined : await seen.list(resource, shape, { namespace: clusterNamespace });
    if (listed !== undefined)
      bundle.addJson(
        `${folder}/${resource.resource}.json`,
        `${listed.items.length} ${resource.resource} in namespace ${clusterNamespace}, as the credential of the consumer shows them`,
        listed.items,
        listed.incomplete,
      );
  }
}
