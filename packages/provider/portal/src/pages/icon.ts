import type { KubeObject } from '@hawser/client';
import { type ComponentChildren, h } from 'preact';

/** On a template: a picture of what it offers, as a `data:` URL. */
export const ICON = 'catalogue.hawser.dev/icon';
/** Nothing that could hold a script, or lead to another host. */
const PICTURE = /^data:(image\/(?:png|jpeg|webp|gif));base64,([A-Za-z\d+/]{1,87384}={0,2})$/u;

/** A picture, as it is sent. */
export interface Icon {
  readonly type: string;
  readonly bytes: Buffer;
}

/** Undefined where a template has none that is shown: PNG, JPEG, WebP or GIF of 64 KiB at most. */
export function iconOf({ metadata }: Pick<KubeObject, 'metadata'>): Icon | undefined {
  const [, type, base64] = PICTURE.exec(metadata.annotations?.[ICON] ?? '') ?? [];
  return type === undefined || base64 === undefined ? undefined : { type, bytes: Buffer.from(base64, 'base64') };
}

/** Beside the name of the template, which says all that there is to say. */
export function iconImage(template: Pick<KubeObject, 'metadata'>): ComponentChildren {
  if (iconOf(template) === undefined) return null;
  const src = `/templates/${encodeURIComponent(template.metadata.name)}/icon`;
  return h('img', { class: 'icon', src, alt: '', width: 40, height: 40 });
}
