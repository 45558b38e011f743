import type { Config } from '@hawser/config';

/** Start-up notice of the provider role about how it admits requests; undefined if templates decide. */
export function admissionNotice({
  requestAdmission,
}: Pick<Config['provider'], 'requestAdmission'>): string | undefined {
  if (requestAdmission === 'Template') return undefined;
  return 'Each consumer may bind every CRD that is labelled kube-bind.io/exported=true, with or without a template. To let templates decide, set requestAdmission to Template (hawser-backend: --request-admission=Template).';
}

/** Start-up notice if consumers talk to a gateway; undefined otherwise. */
export function gatewayNotice({ gateway }: Pick<Config['provider'], 'gateway'>): string | undefined {
  if (gateway === undefined) return undefined;
  return 'Consumers speak to a gateway. Close the API server to their networks: one that reaches it can read objects of others from the refusals of its patches. See docs/how-to/run-a-gateway.md.';
}
