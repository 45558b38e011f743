import type { APIServiceBinding } from '@hawser/kube-bind';
import type { Finding } from '@hawser/preview';
import type { ProviderView } from './binding-view.js';
import type { Area, Examination } from './examination.js';

export const subjectOf = ({ metadata }: APIServiceBinding): string => `APIServiceBinding ${metadata.name}`;
export const nameOf = ({ server, clusterNamespace }: ProviderView): string =>
  `provider ${server}, cluster namespace ${clusterNamespace}`;

export const wrong = (area: Area, subject: string, { reason, message, actor, remedy }: Finding): Examination => ({
  area,
  subject,
  state: actor === 'nobody' ? 'warning' : 'failed',
  message: `${reason}: ${message}`,
  actor,
  remedy,
});

export function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
