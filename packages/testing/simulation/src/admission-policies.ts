import type { ApiRequest } from '@hawser/apiserver';
import type { AnswerSink } from './sim-cluster.js';

/**
 * Whether it reads admission policies. The API server of a simulation does not know them, and says so, at which whoever wants to read them tries again and again; a real one that has none
 * answers that there are none.
 */
export function readsAdmissionPolicies({ method, path }: ApiRequest): boolean {
  return method === 'GET' && /^\/apis\/admissionregistration\.k8s\.io\/v1\/validatingadmissionpolic(?:ies|ybindings)(?:\?|$)/u.test(path);
}

/** No policies, and a watch that never says anything. */
export function answerNoPolicies({ path, headers }: ApiRequest, sink: AnswerSink): void {
  sink.head(200, { 'content-type': 'application/json' });
  if (/[?&]watch=(?:true|1)(?:&|$)/u.test(path)) return;
  const [apiVersion, kind] = String(headers['accept'] ?? '').includes('as=PartialObjectMetadataList')
    ? ['meta.k8s.io/v1', 'PartialObjectMetadataList'] : ['admissionregistration.k8s.io/v1', path.includes('bindings') ? 'ValidatingAdmissionPolicyBindingList' : 'ValidatingAdmissionPolicyList'];
  sink.data(JSON.stringify({ apiVersion, kind, metadata: { resourceVersion: '1' }, items: [] }));
  sink.end();
}
