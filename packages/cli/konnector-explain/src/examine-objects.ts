import type { BindingView } from './binding-view.js';
import { subjectOf, wrong } from './examination-words.js';
import type { Examination } from './examination.js';
import { OF_CONNECTION, OF_PROVIDER } from './findings-by-area.js';
import { type BindingReport, titleOf } from './report.js';

export function schemasOf(
  { kind, name, findings, resources: bound }: BindingReport,
  reportedReasons: ReadonlySet<string>,
): readonly Examination[] {
  const subject = titleOf({ kind, name });
  const found = [
    ...findings.filter(
      ({ condition, reason }) => (condition === undefined || !OF_CONNECTION.has(condition)) && !OF_PROVIDER.has(reason),
    ),
    ...bound.flatMap(({ finding }) => (finding === undefined || reportedReasons.has(finding.reason) ? [] : [finding])),
  ];
  if (found.length > 0) return found.map((finding) => wrong('schema', subject, finding));
  if (bound.length === 0)
    return [{ area: 'schema', subject, state: 'unknown', message: 'What is bound is not known.' }];
  return [
    {
      area: 'schema',
      subject,
      state: 'ok',
      message: `${bound.map((resource) => `${resource.name}${resource.version === undefined ? '' : ` ${resource.version}`}`).join(', ')} ${bound.length === 1 ? 'is' : 'are'} served.`,
    },
  ];
}

export function namespacesOf({ binding, provider }: BindingView): Examination {
  const subject = subjectOf(binding);
  if (provider === undefined || provider.clusterBinding.kind === 'failed')
    return { area: 'namespaces', subject, state: 'unknown', message: 'The provider cannot be asked.' };
  const waiting = provider.serviceNamespaces
    .filter(({ status }) => (status?.namespace ?? '') === '')
    .map(({ metadata }) => metadata.name);
  if (waiting.length > 0)
    return {
      area: 'namespaces',
      subject,
      state: 'failed',
      message: `No namespace is assigned to ${waiting.slice(0, 3).join(', ')}${waiting.length > 3 ? ` and ${waiting.length - 3} more` : ''}.`,
      actor: 'provider',
      remedy: 'looks at the Events of these APIServiceNamespaces, and whether its controllers run',
    };
  return {
    area: 'namespaces',
    subject,
    state: 'ok',
    message: `${provider.serviceNamespaces.length} ${provider.serviceNamespaces.length === 1 ? 'is' : 'are'} assigned.`,
  };
}

export function objectsOf(
  { kind, name, findings, resources: bound, claimed }: BindingReport,
  reportedReasons: ReadonlySet<string>,
): readonly Examination[] {
  const subject = titleOf({ kind, name });
  const unserved = findings.find(({ reason }) => OF_PROVIDER.has(reason));
  if (unserved !== undefined)
    return [
      {
        area: 'objects',
        subject,
        state: 'unknown',
        message: `They wait for the provider: ${unserved.reason}, see below.`,
      },
    ];
  const unread = bound.filter(
    ({ standing, finding, objects: seen }) => seen.length === 0 && (standing === 'unknown' || finding !== undefined),
  );
  if (bound.length === 0 || unread.length > 0)
    return [
      {
        area: 'objects',
        subject,
        state: 'unknown',
        message: `${unread.length === 0 ? 'They' : `Objects of ${unread.map((resource) => resource.name).join(', ')}`} could not be looked at: what is wrong above comes first.`,
      },
    ];
  const objects = [...bound, ...claimed].flatMap((resource) => resource.objects);
  const held = objects.filter(({ standing }) => standing === 'held' || standing === 'unknown');
  const [first] = held;
  if (first === undefined)
    return [
      {
        area: 'objects',
        subject,
        state: 'ok',
        message: objects.length === 0 ? 'There are none.' : `${objects.length} looked at, all in step or on their way.`,
      },
    ];
  if (held.every(({ finding }) => finding !== undefined && reportedReasons.has(finding.reason)))
    return [
      {
        area: 'objects',
        subject,
        state: 'unknown',
        message: `${held.length} of ${objects.length} wait for rights, which are told of elsewhere.`,
      },
    ];
  return [
    {
      area: 'objects',
      subject,
      state: 'failed',
      actor: first.finding?.actor,
      remedy: first.finding?.remedy ?? 'hawser why --all lists all of them',
      message: `${held.length} of ${objects.length} are held; the first: ${first.kind} ${first.object}: ${first.finding?.reason ?? 'unknown'}: ${first.finding?.message ?? ''}`,
    },
  ];
}
