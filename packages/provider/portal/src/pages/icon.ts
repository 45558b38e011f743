import type { KubeObject } from '@hawser/client';
import { type ComponentChildren, h } from 'preact';

/** On a template: a picture of its offer, as a `data:` URL. */
export const ICON = 'catalogue.hawser.dev/icon';
/** Excludes formats with scripts or links to other hosts. */
const PICTURE = /^data:(image\/(?:png|jpeg|webp|gif));base64,([A-Za-z\d+/]{1,87384}={0,2})$/u;

/** A picture, ready to send. */
export interface Icon {
  readonly type: string;
  readonly bytes: Buffer;
}

/** Undefined without a valid picture: PNG, JPEG, WebP or GIF of at most 64 KiB. */
export function iconOf({ metadata }: Pick<KubeObject, 'metadata'>): Icon | undefined {
  const [, type, base64] = PICTURE.exec(metadata.annotations?.[ICON] ?? '') ?? [];
  return type === undefined || base64 === undefined ? undefined : { type, bytes: Buffer.from(base64, 'base64') };
}

/** Decorates the template's name, so it needs no text of its own. */
export function iconImage(template: Pick<KubeObject, 'metadata'>): ComponentChildren {
  if (iconOf(template) === undefined) return null;
  const src = `/templates/${encodeURIComponent(template.metadata.name)}/icon`;
  return h('img', { class: 'icon', src, alt: '', width: 40, height: 40 });
}
