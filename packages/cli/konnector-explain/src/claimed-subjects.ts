import { conditionTypes } from '@hawser/kube-bind';
import type { Finding } from '@hawser/preview';
import { findReason } from '@hawser/reasons';

import { NOT_CLAIMED } from './claim-object-report.js';
import { unreadClaimed } from './claimed-names.js';
import { isNamed } from './named.js';
import type { BindingReport, ResourceReport } from './report.js';
import { type Subject, subjectsOf } from './why-text.js';

/**
 * One object of a claimed resource. Several connections may have claims on it: leaves out those that do not select it
 * if another does. Empty: nothing claims such a resource.
 */
export function claimedSubjects(reports: readonly BindingReport[], kind: string, object: string): readonly Subject[] {
  const served = reports.flatMap((report) =>
    report.claimed.filter((resource) => isNamed(resource, kind)).map((resource) => ({ report, resource })),
  );
  const selecting = served.filter(({ resource }) =>
    resource.objects.some(({ finding }) => finding?.reason !== NOT_CLAIMED),
  );
  const unread = served.filter(({ resource }) => resource.finding !== undefined);
  const [first] = served.length > 0 ? served : reports.flatMap((report) => unserved(report, kind));
  const counting = [...selecting, ...unread];
  const shown = counting.length > 0 ? counting : first === undefined ? [] : [first];
  return shown.flatMap(({ report, resource }) =>
    subjectsOf({ ...report, findings: report.findings.filter(holdsAll(resource)) }, resource, object),
  );
}

/** Whether a finding about the binding holds an object that was read: not if it is about other claimed objects. */
function holdsAll({ finding }: ResourceReport): (of: Finding) => boolean {
  const { claimsInSync, claimsAccepted } = conditionTypes;
  return ({ reason }) =>
    finding !== undefined ||
    [claimsInSync, claimsAccepted].every((type) => findReason('APIServiceBinding', reason, type) === undefined);
}

const NOT_SERVED: Finding = {
  reason: 'NotKnown',
  message: 'No claim of this binding on such objects is served, so none was read.',
  actor: 'nobody',
};

/** The claims of a binding that is not served, or that wait for consent: what holds the binding says why. */
function unserved(
  report: BindingReport,
  kind: string,
): readonly { readonly report: BindingReport; readonly resource: ResourceReport }[] {
  return report.claims
    .map(({ group, resource }) => unreadClaimed({ group, version: 'v1', resource }))
    .filter((resource) => isNamed(resource, kind))
    .map((resource) => ({ report, resource: { ...resource, finding: NOT_SERVED } }));
}
