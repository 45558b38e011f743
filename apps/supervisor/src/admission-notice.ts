import type { Config } from '@hawser/config';

/** What the provider role says once, when it starts, of how it admits requests; undefined where templates decide. */
export function admissionNotice({
  requestAdmission,
}: Pick<Config['provider'], 'requestAdmission'>): string | undefined {
  if (requestAdmission === 'Template') return undefined;
  return 'Each consumer may bind every CRD that is labelled kube-bind.io/exported=true, with or without a template. To let templates decide, set requestAdmission to Template (hawser-backend: --request-admission=Template).';
}
