import {
  type APIServiceBinding,
  type APIServiceExport,
  type APIServiceExportRequest,
  conditionTypes,
  getCondition,
  isWithdrawn,
  resources,
} from '@hawser/kube-bind';
import { read } from '@hawser/preview';
import { findReason } from '@hawser/reasons';
import type { BindingView, ProviderView } from './binding-view.js';
import type { ExplainContext } from './context.js';
import { subjectOf } from './examination-words.js';
import type { Examination } from './examination.js';
import { isAlive } from './heartbeat.js';

/** The provider's own report on the consumer and its exports. */
export async function providersOf(
  context: ExplainContext,
  views: readonly BindingView[],
): Promise<readonly Examination[]> {
  const found: Examination[] = [];
  for (const { binding, provider, export: exported } of views) {
    const subject = subjectOf(binding);
    if (provider === undefined || provider.clusterBinding.kind === 'failed') {
      found.push({ area: 'provider', subject, state: 'unknown', message: 'The provider cannot be asked.' });
      continue;
    }
    const { clusterBinding } = provider;
    if (clusterBinding.kind === 'found' && !isAlive(clusterBinding.object, context.now())) {
      const last = clusterBinding.object.status?.lastHeartbeatTime;
      found.push({
        area: 'provider',
        subject,
        state: 'failed',
        message: `The konnector has not reported ${last === undefined ? 'ever' : `since ${last}`}.`,
        actor: 'operator',
        remedy: 'looks whether the konnector runs, and at its log',
      });
    }
    found.push(await exportOf(provider, binding, exported, context.signal));
  }
  return found;
}

async function exportOf(
  provider: ProviderView,
  binding: APIServiceBinding,
  exported: APIServiceExport | undefined,
  signal: AbortSignal,
): Promise<Examination> {
  const subject = `APIServiceExport ${provider.clusterNamespace}/${binding.metadata.name}`;
  if (exported === undefined) return missingExport(provider, binding, subject, signal);
  const conditions = exported.status?.conditions;
  if (isWithdrawn(exported.metadata))
    return {
      area: 'provider',
      subject,
      state: 'failed',
      message: 'The provider has withdrawn it: nothing of it is synced.',
      actor: 'consumer',
      remedy: 'asks for it again; hawser bind does',
    };
  const first = [conditionTypes.providerInSync, conditionTypes.rightsGranted]
    .map((type) => getCondition(conditions, type))
    .find((condition) => condition?.status === 'False');
  if (first !== undefined)
    return {
      area: 'provider',
      subject,
      state: 'failed',
      message: `${first.reason ?? first.type}: ${first.message ?? ''}`,
      actor: 'provider',
      remedy: findReason('APIServiceExport', first.reason ?? '', first.type)?.remedy,
    };
  const held = getCondition(conditions, conditionTypes.schemaUpdateHeld);
  if (held?.status === 'True')
    return {
      area: 'provider',
      subject,
      state: 'warning',
      message: `${held.reason ?? 'SchemaUpdateHeld'}: ${held.message ?? ''}`,
      actor: 'provider',
      remedy: 'approves the change, or takes it back',
    };
  return { area: 'provider', subject, state: 'ok', message: 'It is offered.' };
}

/** The refusal in the request for a missing export. */
async function missingExport(
  provider: ProviderView,
  binding: APIServiceBinding,
  subject: string,
  signal: AbortSignal,
): Promise<Examination> {
  const request = await read<APIServiceExportRequest>(
    provider.client,
    resources.apiServiceExportRequests,
    { namespace: provider.clusterNamespace, name: binding.metadata.name },
    { signal },
  );
  const status = request.kind === 'found' ? request.object.status : undefined;
  const message =
    status === undefined
      ? 'It is not there, and nothing asks for it.'
      : `It is not there; the request for it is ${status.phase ?? 'Pending'}${status.terminalMessage === undefined ? '' : `: ${status.terminalMessage}`}.`;
  return {
    area: 'provider',
    subject,
    state: 'failed',
    message,
    actor: status === undefined ? 'consumer' : 'provider',
    remedy: status === undefined ? 'asks for it; hawser bind does' : 'answers the request',
  };
}
